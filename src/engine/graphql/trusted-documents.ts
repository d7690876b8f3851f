import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { staleness } from '../auth/viewers.ts'
import type { Database } from '../data/database.ts'
import { notFound, Refusal } from '../errors.ts'
import type { Documents } from '../execution/documents.ts'
import type { Log } from '../log.ts'
import type { Parameters } from './parameters.ts'
import { allDocuments, documentHash, findDocument } from './stored-documents.ts'

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
