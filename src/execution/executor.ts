import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Context } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import { refusals } from './gate.ts'
import { documentLimits, limitsRule } from './limits.ts'
import { maskError, requestError, variableError } from './mask.ts'
import { Program } from './program.ts'

/** A document that parsed and fits the schema, and which of its operations is meant. */
export type Operation = { readonly document: DocumentNode; readonly operationName: string | undefined }

/** A document as it was sent. */
export type Request = {
  readonly source: string
  readonly operationName: string | undefined
  readonly readOnly: boolean
}

/** Variables as they were sent. */
export type Variables = Readonly<Record<string, unknown>>

/** How many errors a document is told of at most. */
const maxErrors = 20

const rules = [limitsRule, ...specifiedRules]

/**
 * The one way to run an operation, for both surfaces: parse, validate, limit, check scopes, execute, mask. What it answers has only
 * errors that a caller may see, each with a `code` in its extensions and a `Refusal` as its original.
 */
export class Executor {
  readonly #schema: GraphQLSchema
  readonly #log: Log
  readonly #documents = new LRUCache<string, DocumentNode>({
    max: 1000,
    maxSize: 4_000_000,
    sizeCalculation: (_, text) => text.length + 1,
  })
  readonly #programs = new WeakMap<DocumentNode, Map<string | undefined, Program>>()
  readonly #validations = new WeakMap<DocumentNode, readonly GraphQLError[]>()

  constructor(schema: GraphQLSchema, log: Log) {
    this.#schema = schema
    this.#log = log
  }

  /** The document of a text. Throws a `GraphQLError` with `BAD_REQUEST` when it does not parse or has too many tokens. */
  parse(source: string): DocumentNode {
    const known = this.#documents.get(source)
    if (known) return known
    try {
      const document = parse(source, { maxTokens: documentLimits.tokens })
      this.#documents.set(source, document)
      return document
    } catch (error) {
      throw error instanceof GraphQLError ? requestError('BAD_REQUEST', error) : error
    }
  }

  /** What is wrong with a document, with `VALIDATION_FAILED`; nothing when it can be run. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    const known = this.#validations.get(document)
    if (known) return known
    const errors = validate(this.#schema, document, rules, { maxErrors }).map((error) =>
      requestError('VALIDATION_FAILED', error),
    )
    this.#validations.set(document, errors)
    return errors
  }

  /** An operation to run again and again. Throws when it does not parse or does not fit the schema. */
  prepare(source: string, operationName?: string): Operation {
    const document = this.parse(source)
    const [error] = this.validate(document)
    if (error) throw error
    return { document, operationName }
  }

  /** Runs what a request of GraphQL over HTTP asks for; one that is `readOnly` runs no mutation. */
  async answer(
    { source, operationName, readOnly }: Request,
    variables: Variables,
    context: Context,
  ): Promise<ExecutionResult> {
    try {
      const document = this.parse(source)
      const errors = this.validate(document)
      if (errors.length > 0) return { errors }
      if (readOnly && getOperationAST(document, operationName)?.operation === 'mutation') {
        throw new Refusal('METHOD_NOT_ALLOWED', 'A mutation has to be sent with POST.')
      }
      return await this.run({ document, operationName }, variables, context)
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** The scopes that an operation needs: all of these, each an "or" of an "and". */
  requiredScopes({ document, operationName }: Operation): readonly ScopeSets[] {
    const program = this.#program(document, operationName)
    return program ? program.examine({}).demands.map(({ sets }) => sets) : []
  }

  /** Runs a valid operation, or refuses it before anything of it is executed. */
  async run({ document, operationName }: Operation, sent: Variables, context: Context): Promise<ExecutionResult> {
    const program = this.#program(document, operationName)
    if (!program) return { errors: [requestError('BAD_REQUEST', unknownOperation(operationName))] }
    try {
      const { coerced, errors } = program.coerce(sent, maxErrors)
      if (errors) return { errors: errors.map(variableError) }
      const refused = refusals(program.examine(coerced), context.session, program)
      if (refused.length > 0) return { errors: refused.slice(0, maxErrors).map((error) => this.#mask(error, context)) }
      const result = await program.run(sent, context)
      return result.errors ? { ...result, errors: result.errors.map((error) => this.#mask(error, context)) } : result
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  #program(document: DocumentNode, operationName: string | undefined): Program | undefined {
    const known = this.#programs.get(document)?.get(operationName)
    if (known) return known
    const operation = getOperationAST(document, operationName)
    if (!operation) return undefined
    const program = new Program(this.#schema, document, operation)
    const programs = this.#programs.get(document) ?? new Map<string | undefined, Program>()
    this.#programs.set(document, programs.set(operationName, program))
    return program
  }

  #mask(error: unknown, { requestId }: Context): GraphQLError {
    return maskError(error, requestId, this.#log)
  }
}

function unknownOperation(name: string | undefined): GraphQLError {
  return new GraphQLError(
    name === undefined ? 'Say with operationName which operation is meant.' : 'There is no operation of this name.',
  )
}
