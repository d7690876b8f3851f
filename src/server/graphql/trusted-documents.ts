import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/database.ts'
import { staleness } from '../../domain/sessions.ts'
import { allDocuments, documentHash, findDocument } from '../../domain/trusted-documents.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Executor } from '../../execution/executor.ts'
import type { Log } from '../../log.ts'
import type { Parameters } from './parameters.ts'

/** How many bytes the texts of trusted documents take at most in memory. */
const maxSourceBytes = 32 * 2 ** 20

/** The document of a request. One that the operator stored is trusted. */
export type RequestedDocument = { readonly source: string; readonly isTrusted: boolean }

/** The stored documents, looked up by their hashes and known for some seconds. */
export class TrustedDocuments {
  readonly #database: Database
  readonly #onlyTrusted: boolean
  readonly #sources: LRUCache<string, string>

  /** With `onlyTrusted`, all other documents are refused. */
  constructor(database: Database, onlyTrusted: boolean) {
    this.#database = database
    this.#onlyTrusted = onlyTrusted
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
  async compile(executor: Executor, log: Log): Promise<void> {
    const stored = await allDocuments(this.#database)
    for (const { hash, source } of stored) this.#sources.set(hash, source)
    for (const { hash, source } of stored) {
      const error = executor.compileTrusted(source)
      if (error) log.warn({ hash, error }, 'a trusted document is not valid any more')
      await setImmediate()
    }
  }

  /**
   * The document that a request contains or names by `documentId` or by the hash of a persisted query. Throws `BAD_REQUEST`, `NOT_FOUND`
   * or `PERSISTED_QUERY_NOT_SUPPORTED` if there is none, and `DOCUMENT_NOT_TRUSTED`.
   */
  async documentOf({ query, documentId, extensions }: Parameters): Promise<RequestedDocument> {
    const persisted = extensions?.persistedQuery
    const hash = hashIn(documentId ?? persistedHash(persisted))
    if (typeof query === 'string') {
      if (!this.#onlyTrusted) return { source: query, isTrusted: false }
      if ((await this.#sourceOf(documentHash(query))) === query) return { source: query, isTrusted: true }
      throw notTrusted()
    }
    if (documentId == null && persisted == null) throw new Refusal('BAD_REQUEST', 'query must be a string.')
    const source = hash === undefined ? undefined : await this.#sourceOf(hash)
    if (source !== undefined) return { source, isTrusted: true }
    if (this.#onlyTrusted) throw notTrusted()
    if (documentId != null) throw notFound('document')
    // Clients of automatic persisted queries look for this message, and then send the document.
    throw new Refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
  }

  async #sourceOf(hash: string): Promise<string | undefined> {
    const source = await this.#sources.fetch(hash)
    // The cache has restored the stale text of a document that was removed.
    if (source === undefined) this.#sources.delete(hash)
    return source
  }
}

function notTrusted(): Refusal {
  return new Refusal('DOCUMENT_NOT_TRUSTED', 'This server runs only documents that its operator has stored.')
}

function persistedHash(persisted: unknown): unknown {
  return typeof persisted === 'object' && persisted !== null && 'sha256Hash' in persisted
    ? persisted.sha256Hash
    : undefined
}

/** The hash that an id contains, with or without the name of the algorithm. */
function hashIn(id: unknown): string | undefined {
  const [, hash] = (typeof id === 'string' && /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)) || []
  return hash?.toLowerCase()
}
