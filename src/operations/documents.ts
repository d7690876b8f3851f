import { setImmediate } from 'node:timers/promises'
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
import pLimit from 'p-limit'
import { clientIsGone } from '../data/requester.ts'
import { markBuiltIn } from '../reads/built-in-operations.ts'
import type { Caller } from '../schema/context.ts'
import { documentLimits, limitsRule, maxErrors } from './limits.ts'
import { LoadedDocument } from './loaded-document.ts'
import { documentError } from './mask.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { documentErrors } from './value-errors.ts'

/** How many bytes all cached documents of a kind take at most, with their prepared operations, and how many one of them may take. */
const cachedBytes = 32 * 2 ** 20
const cachedBytesOfOne = cachedBytes / 8

/** A loaded document, or why it was refused. */
export type LoadResult = LoadedDocument | { readonly errors: readonly GraphQLError[] }

/** Whether the operator has stored the document, and whether it is kept for later requests. */
export type DocumentKind = { readonly isTrusted: boolean; readonly isKept: boolean }

const createCache = () =>
  new LRUCache<string, LoadedDocument>({
    maxSize: cachedBytes,
    maxEntrySize: cachedBytesOfOne,
    sizeCalculation: (loaded) => loaded.countBytes(),
  })

/** Parses and validates documents, and caches them with their prepared operations, up to a number of bytes. */
export class Documents {
  /** Whether documents that are not trusted may read the schema. */
  readonly introspection: boolean
  readonly schema: GraphQLSchema
  readonly #sent = createCache()
  readonly #trusted = createCache()
  readonly #queue = pLimit(1)

  constructor(schema: GraphQLSchema, { introspection }: { readonly introspection: boolean }) {
    this.schema = schema
    this.introspection = introspection
  }

  /** Compiles something new when nothing else is compiled, in an iteration of the event loop of its own, so that much of it cannot hold the event loop. */
  alone<T>(compile: () => T, { signal }: Pick<Caller, 'signal'>): Promise<T> {
    return this.#queue(async () => {
      await setImmediate()
      if (signal.aborted) throw clientIsGone()
      return compile()
    })
  }

  /** The document of a request, from the cache or loaded alone. Throws `BAD_REQUEST` when it does not parse. */
  async find(source: string, kind: DocumentKind, caller: Pick<Caller, 'signal'>): Promise<LoadResult> {
    // Another request may load the document meanwhile.
    return (
      this.known(source, kind) ?? (await this.alone(() => this.known(source, kind) ?? this.load(source, kind), caller))
    )
  }

  /** The document in the cache, whose size is counted again if it has grown since. */
  known(source: string, { isTrusted, isKept }: DocumentKind): LoadedDocument | undefined {
    if (!isKept) return undefined
    const cache = isTrusted ? this.#trusted : this.#sent
    const loaded = cache.get(source)
    if (loaded?.hasGrown) cache.set(source, loaded)
    return loaded
  }

  /** Parses and validates a document. Throws `BAD_REQUEST` when it does not parse. */
  load(source: string, { isTrusted, isKept }: DocumentKind): LoadResult {
    const document = parseDocument(source)
    const tokens = separateTokens(document)
    const hidesSchema = !this.introspection && !isTrusted
    // These bound the work of the other rules: OverlappingFieldsCanBeMergedRule overflows the stack on a long cycle of fragments, and compares
    // each spread with all others, even if their fragments do not exist.
    const bounds = [limitsRule, NoFragmentCyclesRule, KnownFragmentNamesRule]
    const limits = hidesSchema ? [...bounds, NoSchemaIntrospectionCustomRule] : bounds
    const options = { maxErrors, hideSuggestions: hidesSchema }
    const errors = [limits, specifiedRules].reduce<readonly GraphQLError[]>(
      (found, rules) => (found.length > 0 ? found : validate(this.schema, document, rules, options)),
      [],
    )
    if (errors.length > 0) return { errors: documentErrors(this.schema, document, errors) }
    const loaded = new LoadedDocument(this.schema, document, tokens)
    if (isKept) (isTrusted ? this.#trusted : this.#sent).set(source, loaded)
    return loaded
  }

  /** Loads a document that the operator stores. Returns the message of its first error, or the names of its operations, of which an anonymous one has none. */
  loadTrusted(source: string): string | readonly string[] {
    try {
      const loaded = this.load(source, { isTrusted: true, isKept: true })
      if ('errors' in loaded) return loaded.errors[0]?.message ?? 'It is not valid.'
      for (const name of loaded.operationNames) loaded.operation(name)
      return loaded.operationNames.filter((name) => name !== undefined)
    } catch (error) {
      if (error instanceof GraphQLError) return error.message
      throw error
    }
  }

  /** Prepares one of Rookery's own operations, which runs many times. Throws when it is not valid in the schema. */
  prepare(source: string): PreparedOperation {
    const loaded = this.load(source, { isTrusted: true, isKept: false })
    if ('errors' in loaded) throw loaded.errors[0] ?? new TypeError('A document was refused without an error')
    const operation = loaded.operation(undefined)
    markBuiltIn(operation.operation)
    return operation
  }
}

function parseDocument(source: string): DocumentNode {
  if (source.length > documentLimits.characters) {
    const message = `A document has at most ${documentLimits.characters} characters.`
    throw documentError('BAD_REQUEST', new GraphQLError(message))
  }
  try {
    return parse(source, { maxTokens: documentLimits.tokens })
  } catch (error) {
    throw error instanceof GraphQLError ? documentError('BAD_REQUEST', error) : error
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
