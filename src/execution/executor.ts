import { setImmediate } from 'node:timers/promises'
import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLSchema, TypeNameMetaFieldDef } from 'graphql'
import pLimit from 'p-limit'
import { clientIsGone } from '../data/requester.ts'
import type { RepeatableRequest } from '../domain/idempotency.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { markBuiltIn } from '../reads/built-in-operations.ts'
import { cheapBytes, cheapCost } from '../reads/cost.ts'
import { ExecutionRoot } from '../reads/execution-root.ts'
import type { QueryPlan } from '../reads/query-plan.ts'
import { checkSqlSize, type Reads } from '../reads/reads.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import type { Context } from '../schema/context.ts'
import type { ScopeSets } from '../scopes.ts'
import type { VariableValues } from './coerce-variables.ts'
import { DocumentCache } from './document-cache.ts'
import { failedResult, type JoinedResult, joinedResult } from './joined-result.ts'
import type { LoadedDocument } from './loaded-document.ts'
import { afterOthers, maskError } from './mask.ts'
import { mutate, type ObjectResult, type Resolve } from './mutate.ts'
import type { OperationAnalysis } from './operation-analysis.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { permitsWhateverIsFound, refusals } from './refusals.ts'

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
  return { ...JSON.parse(json), ...(errors && { errors }) }
}

/** An operation that may run, with all that is known of it before. */
type ReadyOperation = {
  readonly operation: PreparedOperation
  readonly executable: ExecutableOperation
  readonly analysis: OperationAnalysis
  /** The variables as they were sent. */
  readonly sent: VariableValues
  readonly reads: Reads
  /** The plan of the statement; undefined for an operation whose root fields are all returned by resolvers. */
  readonly plan: QueryPlan | undefined
}

/** An operation that is ready, or why it is refused. */
type Prepared = ReadyOperation | { readonly errors: readonly GraphQLError[] }

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
  /** New documents are compiled one at a time, so that many of them cannot hold the event loop. */
  readonly #compiling = pLimit(1)

  /** Without `introspection`, only trusted documents may read the schema. */
  constructor(schema: GraphQLSchema, log: Log, { introspection = true }: { readonly introspection?: boolean } = {}) {
    this.schema = schema
    this.#log = log
    this.#hidesSchema = !introspection
    this.#documents = new DocumentCache(schema, { introspection })
    this.#trusted = new DocumentCache(schema, { introspection: true })
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
  async answer(request: OperationRequest, variables: VariableValues, context: Context): Promise<Answered> {
    const { source, isTrusted, repeatable } = request
    try {
      const documents = isTrusted ? this.#trusted : this.#documents
      const isCached = isTrusted || context.session !== undefined
      const known = isCached ? documents.known(source) : undefined
      // Another request may have loaded the document meanwhile.
      const load = () => (isCached ? documents.cached(source) : documents.load(source))
      const prepare = () => this.#prepareRequest(load(), request, variables, context)
      const prepared = known && !known.isNew ? prepare() : await this.#compileAlone(prepare, context)
      if (isCached) documents.updateSize(source)
      if ('errors' in prepared) return prepared
      const isMutation = prepared.operation.operation.operation === 'mutation'
      return await this.#run(prepared, context, isMutation ? repeatable?.() : undefined)
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** Waits until no other new document is compiled, and for the next iteration of the event loop. */
  #compileAlone<T>(compile: () => T, { caller }: Context): Promise<T> {
    return this.#compiling(async () => {
      await setImmediate()
      if (caller.signal.aborted) throw clientIsGone()
      return compile()
    })
  }

  /** The operation that a GraphQL request runs. */
  #prepareRequest(
    loaded: LoadedDocument | { readonly errors: readonly GraphQLError[] },
    { operationName, readOnly }: OperationRequest,
    variables: VariableValues,
    context: Context,
  ): Prepared {
    if ('errors' in loaded) return loaded
    const operation = loaded.operation(operationName)
    context.caller.noteOperation(operation.operation.name?.value ?? operation.operation.operation)
    if (readOnly && operation.operation.operation === 'mutation')
      throw new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.')
    return this.#prepare(operation, variables, context)
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
      const prepared = this.#prepare(operation, sent, context)
      return 'errors' in prepared ? prepared : await this.#run(prepared, context, repeatable)
    } catch (error) {
      return { errors: [this.#mask(error, context)] }
    }
  }

  /** Coerces the variables, checks scopes, arguments and limits, and compiles the statements. */
  #prepare(operation: PreparedOperation, sent: VariableValues, context: Context): Prepared {
    const { coerced, errors } = operation.coerce(sent, { hidesSuggestions: this.#hidesSchema })
    if (errors) return { errors }
    const analysis = operation.analyze(coerced)
    const executable = operation.executable(coerced)
    const refused = refusals(analysis, context, executable)
    if (refused.length > 0) return { errors: refused.map((error) => this.#mask(error, context)) }
    const isCheap = analysis.cost <= cheapCost && analysis.extent.bytes <= cheapBytes
    const reads = isCheap ? context.reads.cheap() : context.reads
    const plan = permitsWhateverIsFound(analysis, context.session) ? reads.plan(executable) : undefined
    if (plan?.resolved.length !== 0) checkSqlSize(executable, plan)
    return { operation, executable, analysis, sent, reads, plan }
  }

  async #run(ready: ReadyOperation, context: Context, repeatable: RepeatableRequest | undefined): Promise<Answered> {
    const { operation, executable, analysis, sent, reads, plan } = ready
    if (analysis.isDryRun) return this.#quote(operation, sent, executable, analysis, context)
    await context.budget?.charge(analysis.cost)
    if (plan?.resolved.length === 0) return this.#query(ready, plan, context)
    const root = new ExecutionRoot(executable, analysis.cost)
    const resolve: Resolve = (context, only) => this.#resolve(operation, sent, root, context, only)
    const reading = { ...context, reads }
    if (plan) return this.#query(ready, plan, context, resolve(reading, plan.resolved))
    const isMutation = operation.operation.operation === 'mutation'
    return isMutation ? mutate(operation, executable, repeatable, reading, resolve) : resolve(reading)
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

  /** Answers the root fields of a query that have reads with one statement, while resolvers return the others. */
  async #query(
    { operation, executable, reads }: ReadyOperation,
    plan: QueryPlan,
    context: Context,
    resolving?: Promise<ExecutionResult>,
  ): Promise<Answered> {
    const mask = (error: unknown) => this.#mask(error, context)
    const [read, resolved] = await Promise.all([reads.answer(plan, executable).catch(mask), resolving])
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
