import { type ExecutionResult, type FieldNode, type GraphQLError, isNonNullType, TypeNameMetaFieldDef } from 'graphql'
import { maxResponseBytes, tooLarge } from '../compiler/limits.ts'
import type { QueryPlan } from '../compiler/plans.ts'
import type { VariableValues } from '../compiler/selection.ts'
import type { ChangeWatch } from '../data/change-watch.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Documents } from './documents.ts'
import { type ErrorScope, graphQLError, maskError, maskedRefusal } from './mask.ts'
import { mutate } from './mutate.ts'
import type { Roots } from './operation-analysis.ts'
import { type Execution, prepareExecution } from './prepare-execution.ts'
import type { CompiledResult, OperationContext, PipelinePlugin } from './prepared-operation.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Refuses an operation that may not run, takes its points, and runs what can be compiled as one SQL statement, whose JSON goes to the
 * client as it is, and only the rest with resolvers. Nothing that a client could send is executed without it.
 */
export function useExecution(documents: Documents, watch: ChangeWatch, log: Log): PipelinePlugin {
  async function execute(context: OperationContext, sent: VariableValues): Promise<CompiledResult> {
    const { operation, apiRequest, services } = context
    const execution = operation.isNew
      ? await documents.runExclusive(() => prepareExecution(context, sent, documents), context.lifetime)
      : prepareExecution(context, sent, documents)
    if ('errors' in execution) return execution
    const { analysis, plan } = execution
    if (analysis.isDryRun) return price(execution)
    await apiRequest.budget?.charge(analysis.cost)
    if (analysis.isOfFeed) services.database.replicas?.readOnPrimary(context.rateLimitKey)
    if (plan) return query(execution, plan)
    if (operation.operation.operation !== 'mutation') return resolvedResult(await resolve(execution, context))
    return mutate(execution, (within) => resolve(execution, within)).finally(() => watch.noteWrite())
  }

  /** The result of a dry run: only `rateLimit` and `__typename` are resolved. */
  function price({ operation, sent, analysis, context }: Execution) {
    context.apiRequest.budget?.chargeNothing()
    const fields = analysis.roots.flatMap(([, { field, nodes }]) =>
      field.extensions.returnsPrice || field === TypeNameMetaFieldDef ? nodes : [],
    )
    return operation.execute(sent, context, fields)
  }

  /** Runs the resolvers of an operation, or only those of some of its root fields. */
  async function resolve(execution: Execution, context: RequestContext, only?: readonly FieldNode[]) {
    const { data, errors } = await execution.operation.execute(execution.sent, context, only)
    const failed = data ? 'field' : 'whole'
    const masked = errors?.map((error) =>
      afterOthers(maskError(error, failed, context.apiRequest.id, log), failed, execution),
    )
    return { ...(masked && { errors: masked }), ...(data !== undefined && { data }) }
  }

  /** Answers the root fields of a query that have reads with one statement, while resolvers return the others. */
  async function query(execution: Execution, plan: QueryPlan): Promise<CompiledResult> {
    const { analysis, context, reads } = execution
    const resolving: Promise<ExecutionResult> | undefined =
      plan.resolved.length > 0 ? resolve(execution, context, plan.resolved) : undefined
    const failed = (error: unknown) => maskedRefusal(error, context.apiRequest.id, log)
    const read = await reads.answer(plan).catch(failed)
    const resolved = await resolving
    if (!(read instanceof Refusal)) return joinedResult(plan, read, resolved)
    return failedResult(read, analysis.roots, plan, resolved)
  }

  return {
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn(async ({ contextValue, variableValues }) => {
        try {
          return await execute(contextValue, variableValues ?? {})
        } catch (error) {
          return { errors: [maskError(error, 'operation', contextValue.apiRequest.id, log)] }
        }
      }),
  }
}

/** The error of a mutation after others of the same request were done, which says that the request must not be repeated as a whole. */
function afterOthers(error: GraphQLError, failed: ErrorScope, { operation, analysis }: Execution): GraphQLError {
  const { originalError: refusal, path } = error
  if (operation.operation.operation !== 'mutation' || !(refusal instanceof Refusal)) return error
  const [first] = analysis.roots.find(([, { field }]) => field !== TypeNameMetaFieldDef) ?? []
  if (path === undefined || path[0] === first) return error
  const message = `${error.message} The mutations before it were done.`
  if (refusal.code === 'RATE_LIMITED')
    return graphQLError(new Refusal('RATE_LIMITED', message, refusal.details), 'field', error)
  return refusal.code === 'UNAVAILABLE' ? graphQLError(new Refusal('OUTCOME_UNKNOWN', message), failed, error) : error
}

/** What a statement returned for the parts of a query; undefined for those that resolvers returned. */
type ReadParts = readonly (string | undefined)[]

/**
 * What makes the JSON of a response (GraphQL specification, section 7): what the statement of the query returned, and what
 * resolvers returned for the other parts.
 */
function jsonWith({ parts }: QueryPlan, read: ReadParts) {
  return ({ data, errors, extensions }: ExecutionResult): string => {
    const before = `{${errors ? `"errors":${JSON.stringify(errors)},` : ''}"data":`
    const after =
      extensions && Object.keys(extensions).length > 0 ? `,"extensions":${JSON.stringify(extensions)}}` : '}'
    if (!data) return `${before}null${after}`
    const fields = parts.map(({ key }, index) => `"${key}":${read[index] ?? JSON.stringify(data[key] ?? null)}`)
    return `${before}{${fields.join(',')}}${after}`
  }
}

/** The result of a query that resolvers return as a whole. Throws `VALIDATION_FAILED` when it is too large. */
function resolvedResult(result: ExecutionResult<Record<string, unknown>>): CompiledResult {
  const bytes = Buffer.byteLength(JSON.stringify(result.data ?? null))
  if (bytes > maxResponseBytes) throw tooLarge(bytes)
  return result
}

/**
 * Joins what the statement of a query returned and what resolvers returned. Throws `VALIDATION_FAILED` when they are too large
 * together.
 */
function joinedResult(plan: QueryPlan, read: ReadParts, resolved: ExecutionResult | undefined): CompiledResult {
  const stringify = jsonWith(plan, read)
  if (!resolved) return { data: {}, stringify }
  const bytes = Buffer.byteLength(stringify(resolved))
  if (bytes > maxResponseBytes) throw tooLarge(bytes)
  return { ...resolved, stringify }
}

/** The result of a query whose statement failed: the refusal at each root field that it reads (GraphQL specification, section 6.4.4). */
function failedResult(
  refusal: Refusal,
  roots: Roots,
  plan: QueryPlan,
  resolved: ExecutionResult = { data: {} },
): CompiledResult {
  const failing = roots.filter(([, { field }]) => field.extensions.read)
  const isWhole = !resolved.data || failing.some(([, { field }]) => isNonNullType(field.type))
  const failures = failing.map(([key, { nodes }]) =>
    graphQLError(refusal, isWhole ? 'whole' : 'field', { nodes, path: [key] }),
  )
  const data = isWhole ? null : (resolved.data ?? null)
  const withoutRead = plan.parts.map(({ column, json }) => json ?? (column && 'null'))
  const errors = [...failures, ...(resolved.errors ?? [])]
  return { data, errors, stringify: jsonWith(plan, withoutRead) }
}
