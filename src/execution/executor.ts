import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLSchema, TypeNameMetaFieldDef } from 'graphql'
import type { ResultLimit } from '../data/backend.ts'
import { clientIsGone } from '../data/requester.ts'
import type { Turn } from '../data/turns.ts'
import type { RepeatableRequest } from '../domain/idempotency.ts'
import { longestDocument } from '../domain/trusted-documents.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { markBuiltIn } from '../reads/built-in-operations.ts'
import { cheapBytes, cheapCost } from '../reads/cost.ts'
import { ExecutionRoot } from '../reads/execution-root.ts'
import type { QueryPlan } from '../reads/query-plan.ts'
import { checkSqlSize, type Reads } from '../reads/reads.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import type { Context, LargeSize } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import type { VariableValues } from './coerce-variables.ts'
import { DocumentCache, longestCached } from './document-cache.ts'
import { failedResult, type JoinedResult, joinedResult } from './joined-result.ts'
import { afterOthers, maskError } from './mask.ts'
import { mutate, type ObjectResult, type Resolve } from './mutate.ts'
import type { OperationAnalysis } from './operation-analysis.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { exceeds, mediumResponseBytes, smallResolved, smallResponseBytes } from './price.ts'
import { permitsWhateverIsFound, refusals, resolvedBy } from './refusals.ts'

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

/** The result of an operation: as objects, or as JSON. */
export type Answered = ObjectResult | JoinedResult

/** The result of an operation as objects. */
export function resultOf(answered: Answered): ObjectResult {
  if (!('json' in answered)) return answered
  const { json, errors } = answered
  return { ...JSON.parse(String(json)), ...(errors && { errors }) }
}

/** An operation that needs resolvers, at least for the root fields that its plan leaves to them. */
type ResolvedOperation = {
  readonly operation: PreparedOperation
  readonly executable: ExecutableOperation
  readonly analysis: OperationAnalysis
  /** The variables as they were sent. */
  readonly sent: VariableValues
  readonly plan: QueryPlan | undefined
}

/** How large the response may be, whatever is found. Undefined if it is small. */
function largestSize({ extent: { bytes } }: OperationAnalysis): LargeSize | undefined {
  if (bytes > mediumResponseBytes) return 'large'
  return bytes > smallResponseBytes ? 'medium' : undefined
}

/** A query with the plan of its statement and the reads that run it. */
type PlannedQuery = {
  readonly operation: PreparedOperation
  readonly executable: ExecutableOperation
  readonly plan: QueryPlan
  readonly reads: Reads
  readonly limit?: ResultLimit | undefined
}

/** How the resolvers run that return the root fields without a read. */
type Resolving = { readonly inTurn: Turn; readonly resolve?: () => Promise<ExecutionResult> }

const atOnce: Turn = (run) => run()
const withoutResolvers: Resolving = { inTurn: atOnce }

/**
 * Runs every operation of both APIs: parse, validate, limit, check scopes, execute, mask. Its results contain only errors that a
 * caller may see, each with a `code` in its extensions and a `Refusal` as its original error.
 */
export class Executor {
  readonly schema: GraphQLSchema
  readonly #log: Log
  readonly #hidesSchema: boolean
  readonly #documents: DocumentCache
  readonly #trusted: DocumentCache

  /** Without `introspection`, only trusted documents may read the schema. */
  constructor(schema: GraphQLSchema, log: Log, { introspection = true }: { readonly introspection?: boolean } = {}) {
    this.schema = schema
    this.#log = log
    this.#hidesSchema = !introspection
    this.#documents = new DocumentCache(schema, { introspection, longest: longestCached })
    this.#trusted = new DocumentCache(schema, { introspection: true, longest: longestDocument })
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
      if (loaded.isNew) {
        context.countMemory(loaded.bytes)
        await context.nextTurn()
      }
      const operation = loaded.operation(operationName)
      context.caller.noteOperation(operation.operation.name?.value ?? operation.operation.operation)
      const isMutation = operation.operation.operation === 'mutation'
      if (readOnly && isMutation) throw new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.')
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
      const { coerced, errors } = operation.coerce(sent, { hidesSuggestions: this.#hidesSchema })
      if (errors) return { errors }
      const { isNew } = operation
      const analysis = operation.analyze(coerced)
      const executable = operation.executable(coerced)
      const refused = refusals(analysis, context, executable)
      if (refused.length > 0) return { errors: refused.map((error) => this.#mask(error, context)) }
      if (analysis.isDryRun) return await this.#quote(operation, sent, executable, analysis, context)
      await context.budget?.charge(analysis.cost)
      if (isNew) await context.nextTurn()
      const isCheap = analysis.cost <= cheapCost && analysis.extent.bytes <= cheapBytes
      const reads = isCheap ? context.reads.cheap() : context.reads
      const plan = permitsWhateverIsFound(analysis, context.session) ? reads.plan(executable) : undefined
      if (plan?.resolved.length === 0) {
        return await this.#queryInTurn({ operation, executable, plan, reads }, analysis, context)
      }
      const reading = isCheap ? { ...context, reads } : context
      return await this.#runResolvers({ operation, executable, analysis, sent, plan }, reading, repeatable)
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** Runs the resolvers of an operation, and the statement of its plan if it has one. */
  async #runResolvers(
    { operation, executable, analysis, sent, plan }: ResolvedOperation,
    context: Context,
    repeatable: RepeatableRequest | undefined,
  ): Promise<Answered> {
    checkSqlSize(executable, plan)
    const root = new ExecutionRoot(executable, analysis.cost)
    const resolve: Resolve = (context, only) => this.#resolve(operation, sent, root, context, only)
    const isLarge = exceeds(resolvedBy(analysis, context.session), smallResolved)
    // Writing a large result as JSON takes as long as parsing it.
    const settle = async <T>(result: Promise<T>): Promise<T> => {
      if (isLarge) await result.then(context.nextTurn)
      return result
    }
    const inTurn = isLarge ? context.inResolversTurn : atOnce
    if (plan) {
      const query = { operation, executable, plan, reads: context.reads }
      const resolving = { inTurn, resolve: () => settle(resolve(context, plan.resolved)) }
      return this.#queryInTurn(query, analysis, context, resolving)
    }
    const isMutation = operation.operation.operation === 'mutation'
    const run = () => (isMutation ? mutate(operation, executable, repeatable, context, resolve) : resolve(context))
    return inTurn(() => settle(run()))
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

  /** Answers a query in its turn if its response may be large. The resolvers run once, even if the statement runs twice. */
  #queryInTurn(
    query: PlannedQuery,
    analysis: OperationAnalysis,
    context: Context,
    { inTurn, resolve }: Resolving = withoutResolvers,
  ): Promise<Answered> {
    let resolving: Promise<ExecutionResult> | undefined
    const run = (limit?: ResultLimit) =>
      inTurn(() => {
        resolving ??= resolve?.()
        return this.#query({ ...query, limit }, context, resolving)
      })
    const size = largestSize(analysis)
    if (!size) return run()
    return context.runPossiblyLarge(size, (limit) => run({ bytes: smallResponseBytes, ...limit }))
  }

  /** Answers the root fields of a query that have reads with one statement, while resolvers return the others. */
  async #query(
    { operation, executable, plan, reads, limit }: PlannedQuery,
    context: Context,
    resolving?: Promise<ExecutionResult>,
  ): Promise<Answered> {
    const mask = (error: unknown) => this.#mask(error, context)
    const nextTurn = async () => {
      await context.nextTurn()
      if (context.caller.signal.aborted) throw clientIsGone()
    }
    const [read, resolved] = await Promise.all([reads.answer(plan, executable, limit).catch(mask), resolving])
    const joined = read instanceof GraphQLError ? read : await joinedResult(plan, read, resolved, nextTurn).catch(mask)
    return joined instanceof GraphQLError
      ? failedResult(joined, operation.roots(executable.variableValues), plan, resolved)
      : joined
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
