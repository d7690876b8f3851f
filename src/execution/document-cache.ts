import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  type Token,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { documentLimits, limitsRule, maxErrors } from './limits.ts'
import { LoadedDocument } from './loaded-document.ts'
import { requestError } from './mask.ts'
import { documentErrors } from './value-errors.ts'

/** How many bytes all cached documents take at most, with their prepared operations, and how many one of them may take. */
const cachedBytes = 32 * 2 ** 20
const cachedBytesOfOne = cachedBytes / 8

/** A loaded document, or why it was refused. */
export type LoadResult = LoadedDocument | { readonly errors: readonly GraphQLError[] }

/** Whether documents may read the schema. */
type Settings = { readonly introspection: boolean }

/** Parses and validates documents, and caches them with their prepared operations, up to a number of bytes. */
export class DocumentCache {
  readonly #schema: GraphQLSchema
  readonly #settings: Settings
  readonly #cached = new LRUCache<string, LoadedDocument>({
    maxSize: cachedBytes,
    maxEntrySize: cachedBytesOfOne,
    sizeCalculation: (loaded) => loaded.countBytes(),
  })

  constructor(schema: GraphQLSchema, settings: Settings) {
    this.#schema = schema
    this.#settings = settings
  }

  /** The document in the cache. */
  known(source: string): LoadedDocument | undefined {
    return this.#cached.get(source)
  }

  /** Returns a document from the cache, or loads it. */
  cached(source: string): LoadResult {
    const known = this.known(source)
    if (known) return known
    const loaded = this.load(source)
    if (loaded instanceof LoadedDocument) this.#cached.set(source, loaded)
    return loaded
  }

  /** Updates the size of a cached document, which grows as it is used. */
  updateSize(source: string): void {
    const loaded = this.#cached.peek(source)
    if (loaded?.hasGrown) this.#cached.set(source, loaded)
  }

  /** Parses and validates a document without caching it. Throws `BAD_REQUEST` when it does not parse. */
  load(source: string): LoadResult {
    const document = this.#parse(source)
    const tokens = separateTokens(document)
    // These bound the work of the other rules: OverlappingFieldsCanBeMergedRule overflows the stack on a long cycle of fragments, and compares
    // each spread with all others, even if their fragments do not exist.
    const { introspection } = this.#settings
    const bounds = [limitsRule, NoFragmentCyclesRule, KnownFragmentNamesRule]
    const limits = introspection ? bounds : [...bounds, NoSchemaIntrospectionCustomRule]
    const options = { maxErrors, hideSuggestions: !introspection }
    const errors = [limits, specifiedRules].reduce<readonly GraphQLError[]>(
      (found, rules) => (found.length > 0 ? found : validate(this.#schema, document, rules, options)),
      [],
    )
    if (errors.length > 0) return { errors: documentErrors(this.#schema, document, errors) }
    return new LoadedDocument(this.#schema, document, tokens)
  }

  #parse(source: string): DocumentNode {
    if (source.length > documentLimits.characters) {
      const message = `A document has at most ${documentLimits.characters} characters.`
      throw requestError('BAD_REQUEST', new GraphQLError(message))
    }
    try {
      return parse(source, { maxTokens: documentLimits.tokens })
    } catch (error) {
      throw error instanceof GraphQLError ? requestError('BAD_REQUEST', error) : error
    }
  }
}

/** Unlinks the tokens, so that the tree keeps only those at which a node begins or ends, and no comments. Returns how many there were. */
function separateTokens({ loc }: DocumentNode): number {
  let count = 0
  let token: Token | null = loc?.startToken ?? null
  while (token) {
    const { next }: Token = token
    Reflect.set(token, 'prev', null)
    Reflect.set(token, 'next', null)
    token = next
    count += 1
  }
  return count
}
