import { setImmediate } from 'node:timers/promises'
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Database } from '../data/database.ts'
import { staleness } from '../domain/sessions.ts'
import { allDocuments, documentHash, findDocument } from '../domain/trusted-documents.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Documents } from '../operations/documents.ts'
import { graphQLError } from '../operations/mask.ts'
import type { GraphQLContext } from './use-parameters.ts'

/** How many bytes the texts of trusted documents take at most in memory. */
const maxSourceBytes = 32 * 2 ** 20

/** The stored documents, looked up by their hashes and known for some seconds. */
export class TrustedDocuments {
  /** Whether all other documents are refused. */
  readonly only: boolean
  readonly #database: Database
  readonly #sources: LRUCache<string, string>

  constructor(database: Database, { only }: { readonly only: boolean }) {
    this.only = only
    this.#database = database
    this.#sources = new LRUCache({
      maxSize: maxSourceBytes,
      sizeCalculation: (source, hash) => 2 * (source.length + hash.length) + 200,
      // As for tokens: it takes as long until a process notices that another one removed a document.
      ttl: staleness,
      fetchMethod: (hash) => findDocument(database, hash),
      ignoreFetchAbort: true,
      noDeleteOnFetchRejection: true,
    })
  }

  /** Reads and compiles all stored documents. Logs those that are not valid in the schema any more. */
  async compile(documents: Documents, log: Log): Promise<void> {
    const stored = await allDocuments(this.#database)
    for (const { hash, source } of stored) this.#sources.set(hash, source)
    for (const { hash, source } of stored) {
      const error = documents.loadTrusted(source)
      if (typeof error === 'string') log.warn({ hash, error }, 'a trusted document is not valid any more')
      await setImmediate()
    }
  }

  /** The text of the document with this hash. */
  async sourceOf(hash: string): Promise<string | undefined> {
    const source = await this.#sources.fetch(hash)
    // The cache has restored the stale text of a document that was removed.
    if (source === undefined) this.#sources.delete(hash)
    return source
  }
}

const persistedQuery = z.object({ persistedQuery: z.object({ sha256Hash: z.unknown().optional() }) })

/** The id of the document of a request: `documentId`, or the hash of a persisted query. Undefined if it names none. */
function idOf({ documentId, extensions }: GraphQLParams & { readonly documentId?: unknown }): unknown {
  const persisted = persistedQuery.safeParse(extensions).data?.persistedQuery
  return documentId ?? (persisted && (persisted.sha256Hash ?? ''))
}

/** The hash that an id contains, with or without the name of the algorithm. */
function hashIn(id: unknown): string | undefined {
  const [, hash] = (typeof id === 'string' && /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)) || []
  return hash?.toLowerCase()
}

/**
 * Finds the document that a request names by `documentId`, or by the hash of a persisted query. Where only trusted documents run, those
 * that are sent are found by their hashes, too.
 */
export function useTrustedDocuments(trusted: TrustedDocuments) {
  const refusalOf = (params: object): Refusal => {
    if (trusted.only)
      return new Refusal('DOCUMENT_NOT_TRUSTED', 'This server runs only documents that its operator has stored.')
    if ('documentId' in params) return notFound('document')
    // Clients of automatic persisted queries look for this message, and then send the document.
    return new Refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
  }
  /** Lets the store decide about documents that are sent, where only trusted ones run. */
  const byHash: Plugin<GraphQLContext, GraphQLContext> = {
    onParams: ({ params: { query, variables, operationName }, setParams }) => {
      if (!trusted.only || query === undefined) return
      const named = { persistedQuery: { sha256Hash: documentHash(query) } }
      setParams({ ...(variables && { variables }), ...(operationName && { operationName }), extensions: named })
    },
  }
  return [
    byHash,
    usePersistedOperations<GraphQLContext>({
      allowArbitraryOperations: true,
      extractPersistedOperationId: (params) => {
        const id = idOf(params)
        return id === undefined ? null : (hashIn(id) ?? '')
      },
      getPersistedOperation: async (hash, _request, context) => {
        const source = hash === '' ? undefined : await trusted.sourceOf(hash)
        context.isTrusted = source !== undefined
        return source ?? null
      },
      customErrors: {
        keyNotFound: () => graphQLError(new Refusal('BAD_REQUEST', 'query must be a string.'), 'request'),
        notFound: ({ params }) => graphQLError(refusalOf(params), 'request'),
      },
    }),
  ]
}
