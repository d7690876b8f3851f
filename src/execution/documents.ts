import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  type Token,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { documentLimits, limitsRule } from './limits.ts'
import { Loaded } from './loaded.ts'
import { requestError } from './mask.ts'

/** How many bytes the cached documents hold together at most, with all that hangs below them; and one of them. */
const cachedBytes = 32 * 2 ** 20
const cachedBytesOfOne = cachedBytes / 8

/** How long the source of a cached document is at most, in UTF-16 units. */
const longestCached = 16_384

/** What a document was loaded as, or why it was refused. */
export type Outcome = Loaded | { readonly errors: readonly GraphQLError[] }

/** Parses and validates documents, and caches them with all that is worked out of them, limited by the bytes that they hold. */
export class Documents {
  readonly #schema: GraphQLSchema
  readonly #maxErrors: number
  readonly #cached = new LRUCache<string, Loaded>({
    maxSize: cachedBytes,
    maxEntrySize: cachedBytesOfOne,
    sizeCalculation: (loaded) => loaded.weigh(),
  })

  constructor(schema: GraphQLSchema, maxErrors: number) {
    this.#schema = schema
    this.#maxErrors = maxErrors
  }

  /** A document from the cache, or else as `load` loads it; a short one is cached. */
  cached(source: string): Outcome {
    const known = this.#cached.get(source)
    if (known) return known
    const loaded = this.load(source)
    if (loaded instanceof Loaded && source.length <= longestCached) this.#cached.set(source, loaded)
    return loaded
  }

  /** Counts again what a document holds, which grows as it is used. */
  weigh(source: string, loaded: Loaded): void {
    if (loaded.hasGrown && this.#cached.peek(source) === loaded) this.#cached.set(source, loaded)
  }

  /** Parses and validates a document without leaving anything behind. Throws `BAD_REQUEST` when it does not parse. */
  load(source: string): Outcome {
    const document = this.#parse(source)
    const tokens = separateTokens(document)
    // The limits come first: they bound what the other rules have to do.
    const errors = [[limitsRule], specifiedRules].reduce<readonly GraphQLError[]>(
      (found, rules) =>
        found.length > 0 ? found : validate(this.#schema, document, rules, { maxErrors: this.#maxErrors }),
      [],
    )
    if (errors.length > 0) return { errors: errors.map((error) => requestError('VALIDATION_FAILED', error)) }
    return new Loaded(this.#schema, document, tokens)
  }

  #parse(source: string): DocumentNode {
    try {
      return parse(source, { maxTokens: documentLimits.tokens })
    } catch (error) {
      throw error instanceof GraphQLError ? requestError('BAD_REQUEST', error) : error
    }
  }
}

/** Cuts the chain of tokens, so that the tree holds only those at which a node begins or ends, and no comment. Answers how many there were. */
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
