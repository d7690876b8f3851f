import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isNonNullType,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Context } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import { permitsWhateverIsFound, refusals } from './gate.ts'
import { documentLimits, limitsRule } from './limits.ts'
import { errorLike, maskError, requestError, variableError } from './mask.ts'
import { Program } from './program.ts'

/** A document as it was sent. One that is `readOnly` runs no mutation. */
export type Request = {
  readonly source: string
  readonly operationName: string | undefined
  readonly readOnly: boolean
}

/** Variables as they were sent. */
export type Variables = Readonly<Record<string, unknown>>

/** What an operation answered: a result, or the `data` of one without errors as a text of JSON. */
export type Answered = ExecutionResult | { readonly json: string }

/** What an operation answered, as objects. */
export function resultOf(answered: Answered): ExecutionResult {
  return 'json' in answered ? { data: JSON.parse(answered.json) } : answered
}

/** A valid document with what was worked out of its operations, by their names. */
type Loaded = { readonly document: DocumentNode; readonly programs: Map<string | undefined, Program> }

/** How many errors a document is told of at most. */
const maxErrors = 20

/** How many tokens the documents have together that are kept: each stands for half a KiB of syntax tree. */
const maxKeptTokens = 150_000

/**
 * The one way to run an operation, for both surfaces: parse, validate, limit, check scopes, execute, mask. What it answers has only
 * errors that a caller may see, each with a `code` in its extensions and a `Refusal` as its original.
 */
export class Executor {
  /** Of which it runs operations. */
  readonly schema: GraphQLSchema
  readonly #log: Log
  readonly #documents = new LRUCache<string, Loaded>({
    maxSize: maxKeptTokens,
    sizeCalculation: ({ document }) => tokensOf(document),
  })

  constructor(schema: GraphQLSchema, log: Log) {
    this.schema = schema
    this.#log = log
  }

  /** Runs what a request of GraphQL over HTTP asks for. */
  async answer(
    { source, operationName, readOnly }: Request,
    variables: Variables,
    context: Context,
  ): Promise<Answered> {
    try {
      const loaded = this.#load(source)
      if ('errors' in loaded) return loaded
      const program = this.#program(loaded, operationName)
      if (readOnly && program.operation.operation === 'mutation') {
        throw new Refusal('METHOD_NOT_ALLOWED', 'A mutation has to be sent with POST.')
      }
      return await this.run(program, variables, context)
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** An operation to run again and again. Throws when it does not parse or does not fit the schema. */
  prepare(source: string): Program {
    const loaded = this.#load(source)
    if ('errors' in loaded) throw loaded.errors[0] ?? new TypeError('There is an error without an error')
    return this.#program(loaded, undefined)
  }

  /** The scopes that an operation needs: all of these, each an "or" of an "and". */
  requiredScopes(program: Program): readonly ScopeSets[] {
    return program.examine({}).demands.map(({ sets }) => sets)
  }

  /** Runs an operation, or refuses it before anything of it is executed. */
  async run(program: Program, sent: Variables, context: Context): Promise<Answered> {
    try {
      const { coerced, errors } = program.coerce(sent, maxErrors)
      if (errors) return { errors: errors.map(variableError) }
      const examination = program.examine(coerced)
      const refused = refusals(examination, context.session, program)
      if (refused.length > 0) return { errors: refused.slice(0, maxErrors).map((error) => this.#mask(error, context)) }
      const isWhole = permitsWhateverIsFound(examination, context.session)
      const json = isWhole ? program.answer(coerced, context) : undefined
      if (json) return await this.#whole(json, program, coerced, context)
      const { data, errors: failures } = await program.execute(sent, context)
      const masked = failures?.map((error) => this.#mask(error, context))
      return { ...(masked && { errors: masked }), ...(data !== undefined && { data }) }
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  async #whole(json: Promise<string>, program: Program, variables: Variables, context: Context): Promise<Answered> {
    try {
      return { json: await json }
    } catch (error) {
      return this.#failed(this.#mask(error, context), program.roots(variables))
    }
  }

  /** What a query answers whose statement failed: an error at each root that it was to answer (GraphQL specification, section 6.4.4). */
  #failed({ message, originalError, extensions }: GraphQLError, roots: ReturnType<Program['roots']>): ExecutionResult {
    const read = roots.filter(([, { field }]) => field.extensions.read)
    const errors = read.map(([key, { nodes }]) =>
      errorLike(new GraphQLError('', { nodes, path: [key] }), message, originalError, extensions),
    )
    if (read.some(([, { field }]) => isNonNullType(field.type))) return { errors, data: null }
    const { name } = this.schema.getQueryType() ?? {}
    return {
      errors,
      data: Object.fromEntries(roots.map(([key, { field }]) => [key, field.extensions.read ? null : name])),
    }
  }

  #load(source: string): Loaded | { readonly errors: readonly GraphQLError[] } {
    const known = this.#documents.get(source)
    if (known) return known
    const document = this.#parse(source)
    // The limits come first: they bound what the other rules have to do.
    const errors = [[limitsRule], specifiedRules].reduce<readonly GraphQLError[]>(
      (found, rules) => (found.length > 0 ? found : validate(this.schema, document, rules, { maxErrors })),
      [],
    )
    if (errors.length > 0) return { errors: errors.map((error) => requestError('VALIDATION_FAILED', error)) }
    const loaded = { document, programs: new Map<string | undefined, Program>() }
    this.#documents.set(source, loaded)
    return loaded
  }

  #parse(source: string): DocumentNode {
    try {
      return parse(source, { maxTokens: documentLimits.tokens })
    } catch (error) {
      throw error instanceof GraphQLError ? requestError('BAD_REQUEST', error) : error
    }
  }

  #program({ document, programs }: Loaded, name: string | undefined): Program {
    const known = programs.get(name)
    if (known) return known
    const operation = getOperationAST(document, name)
    if (!operation || !this.schema.getRootType(operation.operation)) {
      const which =
        name === undefined ? 'Say with operationName which operation is meant.' : 'There is no operation of this name.'
      throw new Refusal('BAD_REQUEST', operation ? `There is no ${operation.operation} here.` : which)
    }
    const program = new Program(this.schema, document, operation)
    programs.set(name, program)
    return program
  }

  #mask(error: unknown, { requestId }: Context): GraphQLError {
    return maskError(error, requestId, this.#log)
  }
}

function tokensOf({ loc }: DocumentNode): number {
  let count = 0
  for (let token = loc?.startToken ?? null; token; token = token.next) count += 1
  return count
}
