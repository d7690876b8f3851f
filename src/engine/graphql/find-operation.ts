import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { staleness } from '../auth/viewers.ts'
import type { VariableValues } from '../compiler/selection.ts'
import type { Database } from '../data/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Documents } from '../execution/documents.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { parseJson } from '../http/json-body.ts'
import type { Log } from '../log.ts'
import { allDocuments, documentHash, findDocument } from './stored-documents.ts'

/** An object whatever it has, since its parts are checked later. */
const object = (message: string) =>
  z.custom<Record<string, unknown>>((it) => typeof it === 'object' && it !== null && !Array.isArray(it), message)

/** Others are ignored: some clients add an `id`. */
const form = z.object(
  {
    query: z.string('query must be a string.').nullish(),
    documentId: z.string('documentId must be a string.').nullish(),
    variables: object('variables must be a JSON object.').nullish(),
    operationName: z.string('operationName must be a string.').nullish(),
    extensions: object('extensions must be a JSON object.').nullish(),
  },
  'The body must be a JSON object.',
)

/** The parameters of a request (GraphQL over HTTP, section 5.1). */
export type Parameters = Pick<
  z.infer<typeof form>,
  'query' | 'documentId' | 'variables' | 'operationName' | 'extensions'
>

/** Checks the parameters in a JSON body. Throws `BAD_REQUEST`, which names what is wrong. */
export function parametersIn(body: unknown): Parameters {
  const checked = form.safeParse(body)
  if (checked.success) return checked.data
  throw new Refusal('BAD_REQUEST', checked.error.issues[0]?.message ?? 'The parameters are wrong.')
}

/** Checks the parameters in a query string. Others are ignored. Throws `BAD_REQUEST`, which names what is wrong. */
export function parametersInUrl(given: URLSearchParams): Parameters {
  const object = (name: string) => {
    const text = given.get(name)
    return text ? parseJson(text, `${name} must be a JSON object.`) : undefined
  }
  return parametersIn({
    query: given.get('query') || undefined,
    documentId: given.get('documentId') || undefined,
    variables: object('variables'),
    operationName: given.get('operationName'),
    extensions: object('extensions'),
  })
}

/** The operation that a request asks for, with its variables as they were sent. */
export type RequestedOperation = { readonly operation: PreparedOperation; readonly variables: VariableValues }

/** What is wrong with a document. */
type InvalidDocument = { readonly errors: readonly GraphQLError[] }

/**
 * Finds the operation that the parameters of a request ask for, or the errors of its document. Documents that are sent without a token are
 * not cached, unless they are trusted.
 */
export async function findOperation(
  documents: Documents,
  trusted: TrustedDocuments,
  { viewer, lifetime, logEntry }: Pick<FastifyRequest, 'viewer' | 'lifetime' | 'logEntry'>,
  parameters: Parameters,
): Promise<RequestedOperation | InvalidDocument> {
  const { source, isTrusted } = await trusted.sourceOf(parameters)
  const kind = { isTrusted, isKept: isTrusted || viewer !== undefined }
  const loaded = documents.known(source, kind) ?? (await documents.find(source, kind, lifetime))
  if ('errors' in loaded) return loaded
  const operation = loaded.operation(parameters.operationName || undefined)
  logEntry.report({ operation: operation.name, isOperationKnown: isTrusted })
  return { operation, variables: parameters.variables ?? {} }
}

/** How many bytes the texts of trusted documents take at most in memory. */
const maxSourceBytes = 32 * 2 ** 20

/** The text of a document, and whether the operator has stored it. */
type Source = { readonly source: string; readonly isTrusted: boolean }

/** The stored documents, looked up by their hashes and known for some seconds. */
export class TrustedDocuments {
  /** What runs besides, if all other documents are refused. */
  readonly #only: ReadonlySet<string> | undefined
  readonly #database: Database
  readonly #sources: LRUCache<string, string>

  constructor(database: Database, only?: ReadonlySet<string>) {
    this.#only = only
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

  /**
   * The document that a request sends, or names by `documentId` or by the hash of a persisted query. Where only trusted documents run,
   * those that are sent are found by their hashes, too. Throws a refusal if it is not found, or if there is none.
   */
  sourceOf({ query, ...parameters }: Parameters): Source | Promise<Source> {
    if (query == null) return this.#named(parameters)
    if (!this.#only) return { source: query, isTrusted: false }
    if (this.#only.has(query)) return { source: query, isTrusted: true }
    return this.#stored(documentHash(query), () => notTrusted())
  }

  async #named({ documentId, extensions }: Parameters): Promise<Source> {
    const persisted = persistedQuery.safeParse(extensions).data?.persistedQuery
    const id = documentId ?? (persisted && (persisted.sha256Hash ?? ''))
    if (id === undefined) throw new Refusal('BAD_REQUEST', 'query must be a string.')
    const refusal = this.#only
      ? notTrusted
      : documentId == null
        ? persistedQueryNotSupported
        : () => notFound('document')
    return this.#stored(hashIn(id), refusal)
  }

  async #stored(hash: string | undefined, refusal: () => Refusal): Promise<Source> {
    if (hash === undefined) throw refusal()
    const source = await this.#sources.fetch(hash)
    if (source !== undefined) return { source, isTrusted: true }
    // The cache has restored the stale text of a document that was removed.
    this.#sources.delete(hash)
    throw refusal()
  }
}

const persistedQuery = z.object({ persistedQuery: z.object({ sha256Hash: z.unknown().optional() }) })

/** The hash that an id contains, with or without the name of the algorithm. */
function hashIn(id: unknown): string | undefined {
  const [, hash] = (typeof id === 'string' && /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)) || []
  return hash?.toLowerCase()
}

const notTrusted = () =>
  new Refusal('DOCUMENT_NOT_TRUSTED', 'This server runs only documents that its operator has stored.')

/** Clients of automatic persisted queries look for this message, and then send the document. */
const persistedQueryNotSupported = () => new Refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
