import {
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
} from 'graphql'
import { type RepeatableRequest, runOnce } from '../domain/idempotency.ts'
import { longestDocument } from '../domain/trusted-documents.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { markBuiltIn } from '../reads/built-in-operations.ts'
import { cheapBytes, cheapCost } from '../reads/cost.ts'
import { ExecutionRoot } from '../reads/execution-root.ts'
import type { QueryPlan } from '../reads/query-plan.ts'
import { checkSqlSize, type Reads } from '../reads/reads.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import { type Context, contextWithin, sessionOf } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import { DocumentCache, longestCached } from './document-cache.ts'
import { failedResult, type JoinedResult, joinedResult } from './joined-result.ts'
import { afterOthers, maskError, rolledBack } from './mask.ts'
import type { OperationAnalysis } from './operation-analysis.ts'
import type { PreparedOperation, VariableValues } from './prepared-operation.ts'
import { exceeds, smallResolved } from './price.ts'
import { permitsWhateverIsFound, refusals, refuseToRepeat, resolvedBy } from './refusals.ts'
import { mayChange, restoreResult, storeResult } from './stored-result.ts'
import { variableError } from './value-errors.ts'

/** A request to run one operation of a document. */
export type OperationRequest = {
  readonly source: string
  /** The key of a mutation that must run only once. Throws for an invalid key. */
  readonly repeatable?: () => RepeatableRequest | undefined
  /** Whether the operator of the server has stored the document. */
  readonly isTrusted?: boolean
  readonly operationName: string | undefined
  /** Whether to refuse mutations. */
  readonly readOnly: boolean
}

/**
 * The result of an operation: as objects, or with its `data` as JSON text. `isReplay` means that a mutation was not run, because the same
 * request had been sent before.
 */
export type Answered = (ExecutionResult & { readonly isReplay?: boolean }) | JoinedResult

/** The result of an operation as objects. */
export function resultOf(answered: Answered): Exclude<Answered, JoinedResult> {
  if (!('json' in answered)) return answered
  const { json, ...errors } = answered
  return { ...errors, data: JSON.parse(json) }
}

/** Runs the resolvers of an operation, or only those of some of its root fields. */
type Resolve = (context: Context, only?: readonly FieldNode[]) => Promise<ExecutionResult>

/** A query with the plan of its statement and the reads that run it. */
type PlannedQuery = {
  readonly operation: PreparedOperation
  readonly executable: ExecutableOperation
  readonly plan: QueryPlan
  readonly reads: Reads
}

/** The maximum number of errors in a response. */
const maxErrors = 20

/**
 * Runs every operation of both APIs: parse, validate, limit, check scopes, execute, mask. Its results contain only errors that a
 * caller may see, each with a `code` in its extensions and a `Refusal` as its original error.
 */
export class Executor {
  readonly schema: GraphQLSchema
  readonly #log: Log
  readonly #documents: DocumentCache
  readonly #trusted: DocumentCache

  /** Without `introspection`, only trusted documents may read the schema. */
  constructor(schema: GraphQLSchema, log: Log, { introspection = true }: { readonly introspection?: boolean } = {}) {
    this.schema = schema
    this.#log = log
    this.#documents = new DocumentCache(schema, { maxErrors, introspection, longest: longestCached })
    this.#trusted = new DocumentCache(schema, { maxErrors, introspection: true, longest: longestDocument })
  }

  /** Compiles a document of a trusted client into a cache of its own. Returns the message of the first error, if there is one. */
  compileTrusted(source: string): string | undefined {
    try {
      const loaded = this.#trusted.cached(source)
      if ('errors' in loaded) return loaded.errors[0]?.message
      for (const name of loaded.operationNames) loaded.operation(name)
      return undefined
    } catch (error) {
      if (error instanceof GraphQLError || error instanceof Refusal) return error.message
      throw error
    }
  }

  /** The names of the operations of a valid trusted document. An anonymous operation has none. */
  operationsOf(source: string): readonly string[] {
    const loaded = this.#trusted.cached(source)
    return 'errors' in loaded ? [] : loaded.operationNames.filter((name) => name !== undefined)
  }

  /** Runs an operation of a GraphQL request. Documents that are sent without a token are not cached, unless they are trusted. */
  async answer(
    { source, isTrusted, operationName, readOnly, repeatable }: OperationRequest,
    variables: VariableValues,
    context: Context,
  ): Promise<Answered> {
    try {
      const documents = isTrusted ? this.#trusted : this.#documents
      const isCached = isTrusted || context.session !== undefined
      const loaded = isCached ? documents.cached(source) : documents.load(source)
      if ('errors' in loaded) return loaded
      // Validating a large document takes tens of milliseconds, and so do preparing its operation and compiling its statement.
      if (loaded.isNew) await context.nextTurn()
      const operation = loaded.operation(operationName)
      context.caller.noteOperation(operation.operation.name?.value ?? operation.operation.operation)
      if (readOnly && operation.operation.operation === 'mutation') {
        throw new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.')
      }
      const isMutation = operation.operation.operation === 'mutation'
      const answered = await this.run(operation, variables, context, isMutation ? repeatable?.() : undefined)
      if (isCached) documents.updateSize(source, loaded)
      return answered
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** Prepares one of Rookery's own operations, which runs many times. Throws when it is not valid in the schema. */
  prepare(source: string): PreparedOperation {
    const loaded = this.#documents.load(source)
    if ('errors' in loaded) throw loaded.errors[0] ?? new TypeError('A document was refused without an error')
    const operation = loaded.operation(undefined)
    markBuiltIn(operation.operation)
    return operation
  }

  /** The scopes that an operation requires. A token needs one set of each element. */
  requiredScopes(operation: PreparedOperation): readonly ScopeSets[] {
    return operation.analyze({}).requirements.map(({ sets }) => sets)
  }

  /** Runs an operation, or refuses it before any of it is executed. */
  async run(
    operation: PreparedOperation,
    sent: VariableValues,
    context: Context,
    repeatable?: RepeatableRequest,
  ): Promise<Answered> {
    try {
      const { coerced, errors } = operation.coerce(sent, maxErrors)
      if (errors) return { errors: errors.map((error) => variableError(this.schema, error)) }
      const { isNew } = operation
      const analysis = operation.analyze(coerced)
      const executable = operation.executable(coerced)
      const refused = refusals(analysis, context, executable)
      if (refused.length > 0) return { errors: refused.slice(0, maxErrors).map((error) => this.#mask(error, context)) }
      if (analysis.isDryRun) return await this.#quote(operation, sent, executable, analysis, context)
      await context.budget?.charge(analysis.cost)
      if (isNew) await context.nextTurn()
      const isCheap = analysis.cost <= cheapCost && analysis.extent.bytes <= cheapBytes
      const reads = isCheap ? context.reads.cheap() : context.reads
      const plan = permitsWhateverIsFound(analysis, context.session) ? reads.plan(executable) : undefined
      const query = plan && { operation, executable, plan, reads }
      if (query?.plan.resolved.length === 0) return await this.#query(query, context)
      checkSqlSize(executable, plan)
      const root = new ExecutionRoot(executable, analysis.cost)
      const resolve: Resolve = (context, only) => this.#resolve(operation, sent, root, context, only)
      const reading = isCheap ? { ...context, reads } : context
      const isLarge = exceeds(resolvedBy(analysis, context.session), smallResolved)
      // Writing a large result as JSON takes as long as parsing it.
      const settle = async <T>(result: Promise<T>): Promise<T> => {
        if (isLarge) await result.then(context.nextTurn)
        return result
      }
      const run = (): Promise<Answered> => {
        if (query) return this.#query(query, reading, settle(resolve(reading, query.plan.resolved)))
        const isMutation = operation.operation.operation === 'mutation'
        return settle(isMutation ? this.#mutate(operation, coerced, repeatable, reading, resolve) : resolve(reading))
      }
      return await (isLarge ? context.inLargeTurn(run) : run())
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** The result of a dry run: only `rateLimit` and `__typename` are resolved. */
  async #quote(
    operation: PreparedOperation,
    sent: VariableValues,
    executable: ExecutableOperation,
    { cost }: OperationAnalysis,
    context: Context,
  ): Promise<ExecutionResult> {
    context.budget?.waive()
    const fields = operation
      .roots(executable.variableValues)
      .flatMap(([, { field, nodes }]) => (field.extensions.isQuote || field === TypeNameMetaFieldDef ? nodes : []))
    return operation.execute(sent, new ExecutionRoot(executable, cost), context, fields)
  }

  /** Runs a mutation, or returns its earlier result. Forgets the sessions of the viewer afterwards, if it may have revoked tokens. */
  async #mutate(
    operation: PreparedOperation,
    variables: VariableValues,
    repeatable: RepeatableRequest | undefined,
    context: Context,
    resolve: Resolve,
  ): Promise<Answered> {
    const roots = operation.roots(variables)
    if (repeatable) refuseToRepeat(roots)
    try {
      if (repeatable) return await this.#executeOnce(operation.operation, repeatable, context, resolve)
      return await resolve(context)
    } finally {
      forgetRevoked(roots, context)
    }
  }

  /** Runs its resolvers, or only those of some of its root fields. */
  async #resolve(
    operation: PreparedOperation,
    sent: VariableValues,
    root: ExecutionRoot,
    context: Context,
    only?: readonly FieldNode[],
  ): Promise<ExecutionResult> {
    const { data, errors } = await operation.execute(sent, root, context, only)
    const masked = errors
      ?.map((error) => this.#mask(error, context))
      .map((error) => this.#withOutcome(error, operation, root.executable.variableValues))
    return { ...(masked && { errors: masked }), ...(data !== undefined && { data }) }
  }

  /** Runs a mutation in one transaction with its result, or returns the result of its first run. */
  async #executeOnce(
    operation: OperationDefinitionNode,
    repeatable: RepeatableRequest,
    context: Context,
    resolve: Resolve,
  ): Promise<Answered> {
    let unstored: ExecutionResult | undefined
    try {
      const { json, isReplay } = await runOnce(
        context.database,
        sessionOf(context).viewerId,
        repeatable,
        async (transaction) => {
          const result = await resolve(contextWithin(transaction, context))
          if (mayChange(result)) {
            unstored = result
            throw new Error('A result that may change is not stored')
          }
          return { json: storeResult(result), isRefused: result.errors !== undefined }
        },
      )
      return { ...restoreResult(json, operation), isReplay }
    } catch (error) {
      if (unstored) return { ...unstored, errors: unstored.errors?.map(rolledBack) ?? [] }
      throw error
    }
  }

  /** Answers the root fields of a query that have reads with one statement, while resolvers return the others. */
  async #query(
    { operation, executable, plan, reads }: PlannedQuery,
    context: Context,
    resolving?: Promise<ExecutionResult>,
  ): Promise<Answered> {
    const [read, resolved] = await Promise.all([
      reads.answer(plan, executable).catch((error: unknown) => this.#mask(error, context)),
      resolving,
    ])
    return read instanceof GraphQLError
      ? failedResult(read, operation.roots(executable.variableValues), plan, resolved)
      : joinedResult(plan, read, resolved)
  }

  #withOutcome(error: GraphQLError, operation: PreparedOperation, variables: VariableValues): GraphQLError {
    if (operation.operation.operation !== 'mutation') return error
    const [first] = operation.roots(variables).find(([, { field }]) => field !== TypeNameMetaFieldDef) ?? []
    return afterOthers(error, first)
  }

  #mask(error: unknown, { requestId }: Context): GraphQLError {
    return maskError(error, requestId, this.#log)
  }
}

/** Forgets the sessions of the viewer after a mutation that may have revoked tokens. */
function forgetRevoked(roots: ReturnType<PreparedOperation['roots']>, { session, sessions }: Context): void {
  if (session && roots.some(([, { field }]) => field.extensions.revokesTokens)) sessions.forget(session.viewerId)
}
