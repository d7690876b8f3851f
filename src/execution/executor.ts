import { type ExecutionResult, GraphQLError, type GraphQLSchema, isNonNullType, TypeNameMetaFieldDef } from 'graphql'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { noteOwn } from '../reads/own-operations.ts'
import type { Context } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import { Documents } from './documents.ts'
import { permitsWhateverIsFound, refusals } from './gate.ts'
import { afterOthers, errorLike, maskError, variableError } from './mask.ts'
import type { Program } from './program.ts'

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

/** How many errors a document is told of at most. */
const maxErrors = 20

/**
 * The one way to run an operation, for both surfaces: parse, validate, limit, check scopes, execute, mask. What it answers has only
 * errors that a caller may see, each with a `code` in its extensions and a `Refusal` as its original.
 */
export class Executor {
  /** Of which it runs operations. */
  readonly schema: GraphQLSchema
  readonly #log: Log
  readonly #documents: Documents

  constructor(schema: GraphQLSchema, log: Log) {
    this.schema = schema
    this.#log = log
    this.#documents = new Documents(schema, maxErrors)
  }

  /** Runs what a request of GraphQL over HTTP asks for. Without a token it leaves nothing behind. */
  async answer(
    { source, operationName, readOnly }: Request,
    variables: Variables,
    context: Context,
  ): Promise<Answered> {
    try {
      const loaded = context.session ? this.#documents.cached(source) : this.#documents.load(source)
      if ('errors' in loaded) return loaded
      const program = loaded.program(operationName)
      if (readOnly && program.operation.operation === 'mutation') {
        throw new Refusal('METHOD_NOT_ALLOWED', 'A mutation has to be sent with POST.')
      }
      const answered = await this.run(program, variables, context)
      if (context.session) this.#documents.weigh(source, loaded)
      return answered
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** An operation to run again and again. Throws when it does not parse or does not fit the schema. */
  prepare(source: string): Program {
    const loaded = this.#documents.load(source)
    if ('errors' in loaded) throw loaded.errors[0] ?? new TypeError('There is an error without an error')
    const program = loaded.program(undefined)
    noteOwn(program.operation)
    return program
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
      program.requireRoom(coerced)
      const { data, errors: failures } = await program.execute(sent, context)
      const masked = failures
        ?.map((error) => this.#mask(error, context))
        .map((error) => this.#told(error, program, coerced))
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

  #told(error: GraphQLError, program: Program, variables: Variables): GraphQLError {
    if (program.operation.operation !== 'mutation') return error
    const [first] = program.roots(variables).find(([, { field }]) => field.name !== TypeNameMetaFieldDef.name) ?? []
    return afterOthers(error, first)
  }

  #mask(error: unknown, { requestId }: Context): GraphQLError {
    return maskError(error, requestId, this.#log)
  }
}
