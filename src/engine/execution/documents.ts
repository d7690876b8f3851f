import { setImmediate } from 'node:timers/promises'
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  type Token,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { CompiledOperations } from '../compiler/plans.ts'
import { clientIsGone } from '../data/request-info.ts'
import { Refusal } from '../errors.ts'
import { documentLimits, limitsRule, maxErrors, oneOfVariablesRule, unconditionalSubscriptionRule } from './limits.ts'
import { documentError, graphQLError } from './mask.ts'
import { PreparedOperation } from './prepared-operation.ts'
import { documentErrors, withRuleErrors } from './value-errors.ts'

/** How many bytes all cached documents of a kind take at most, with their prepared operations. */
const cachedBytes = 32 * 2 ** 20

/** How many bytes an operation with its analyses takes at most, and a token with its share of the source and of the syntax tree. */
const bytesOfOperation = 20_000
const bytesOfToken = 650

/** The lifetime of the request that something is compiled for. Its signal is made when it is used first. */
type Lifetime = { readonly signal: AbortSignal }

/** A loaded document, or why it was refused. */
type LoadResult = LoadedDocument | { readonly errors: readonly GraphQLError[] }

/** Whether the operator has stored the document, and whether it is kept for later requests. */
type DocumentKind = { readonly isTrusted: boolean; readonly isKept: boolean }

/** A valid document with its prepared operations, by name. */
export class LoadedDocument {
  readonly #schema: GraphQLSchema
  readonly document: DocumentNode
  readonly #operations = new Map<string | undefined, PreparedOperation>()

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema
    this.document = document
  }

  /** The definitions of its operations. */
  get operations(): readonly OperationDefinitionNode[] {
    return this.document.definitions.filter((it) => it.kind === Kind.OPERATION_DEFINITION)
  }

  /** The operation of this name, or without a name the only one. Throws `BAD_REQUEST` when there is none. */
  operation(name: string | undefined): PreparedOperation {
    const known = this.#operations.get(name)
    if (known) return known
    const operation = getOperationAST(this.document, name)
    if (!operation) {
      const message =
        name === undefined
          ? 'The document does not have exactly one operation: set operationName to the one to run.'
          : 'The document has no operation with this operationName.'
      throw graphQLError(new Refusal('BAD_REQUEST', message), 'operation')
    }
    const prepared = new PreparedOperation(this.#schema, this.document, operation)
    this.#operations.set(name, prepared)
    return prepared
  }
}

const createCache = () => new LRUCache<string, LoadedDocument>({ maxSize: cachedBytes })

/** Parses and validates documents, and caches them with their prepared operations, up to a number of bytes. */
export class Documents {
  /** Whether documents that are not trusted may read the schema. */
  readonly introspection: boolean
  readonly schema: GraphQLSchema
  /** What is compiled for their operations. */
  readonly compiled = new CompiledOperations()
  readonly #sent = createCache()
  readonly #trusted = createCache()
  readonly #queue = pLimit(1)

  constructor(schema: GraphQLSchema, { introspection }: { readonly introspection: boolean }) {
    this.schema = schema
    this.introspection = introspection
  }

  /**
   * Compiles something new when nothing else is compiled, in an iteration of the event loop of its own, so that much of it cannot
   * hold the event loop.
   */
  runExclusive<T>(compile: () => T, lifetime: Lifetime): Promise<T> {
    return this.#queue(async () => {
      await setImmediate()
      if (lifetime.signal.aborted) throw graphQLError(clientIsGone(), 'request')
      return compile()
    })
  }

  /** The document of a request that is not known, loaded alone. Throws `BAD_REQUEST` when it does not parse. */
  find(source: string, kind: DocumentKind, lifetime: Lifetime): Promise<LoadResult> {
    // Another request may load the document meanwhile.
    return this.runExclusive(() => this.known(source, kind) ?? this.load(source, kind), lifetime)
  }

  /** The document in the cache. */
  known(source: string, { isTrusted, isKept }: DocumentKind): LoadedDocument | undefined {
    return isKept ? (isTrusted ? this.#trusted : this.#sent).get(source) : undefined
  }

  /** Parses and validates a document. Throws `BAD_REQUEST` when it does not parse. */
  load(source: string, { isTrusted, isKept }: DocumentKind): LoadResult {
    const document = parseDocument(source)
    const tokens = separateTokens(document)
    const hidesSchema = !this.introspection && !isTrusted
    // These bound the work of the other rules: OverlappingFieldsCanBeMergedRule overflows the stack on a long cycle of fragments,
    // and compares each spread with all others, even if their fragments do not exist.
    const bounds = [limitsRule, NoFragmentCyclesRule, KnownFragmentNamesRule, unconditionalSubscriptionRule]
    const limits = hidesSchema ? [...bounds, NoSchemaIntrospectionCustomRule] : bounds
    const options = { maxErrors, hideSuggestions: hidesSchema }
    const errors = [limits, [...specifiedRules, oneOfVariablesRule]].reduce<readonly GraphQLError[]>(
      (found, rules) => (found.length > 0 ? found : validate(this.schema, document, rules, options)),
      [],
    )
    if (errors.length > 0)
      return { errors: withRuleErrors(this.schema, document, documentErrors(this.schema, document, errors)) }
    const loaded = new LoadedDocument(this.schema, document)
    const size = loaded.operations.length * bytesOfOperation + tokens * bytesOfToken
    if (isKept) (isTrusted ? this.#trusted : this.#sent).set(source, loaded, { size })
    return loaded
  }

  /**
   * Loads a document that the operator stores. Returns the message of its first error, or the names of its operations, of which an
   * anonymous one has none.
   */
  loadTrusted(source: string): string | readonly string[] {
    try {
      const loaded = this.load(source, { isTrusted: true, isKept: true })
      if ('errors' in loaded) return loaded.errors[0]?.message ?? 'It is not valid.'
      const names = loaded.operations.map(({ name }) => name?.value)
      for (const name of names) loaded.operation(name)
      return names.filter((name) => name !== undefined)
    } catch (error) {
      if (error instanceof GraphQLError) return error.message
      throw error
    }
  }

  /** Prepares one of Rookery's own operations, which runs many times. Tests validate them, which would take half of the time to start. */
  prepare(source: string): PreparedOperation {
    const document = parseDocument(source)
    separateTokens(document)
    const operation = new LoadedDocument(this.schema, document).operation(undefined)
    operation.isBuiltIn = true
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
