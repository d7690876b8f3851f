import { type ExecutionResult, type FieldNode, type GraphQLError, TypeNameMetaFieldDef } from 'graphql'
import type { QueryPlan } from '../compiler/query-plan.ts'
import type { VariableValues } from '../compiler/selection.ts'
import type { ChangeWatch } from '../data/change-watch.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Documents } from './documents.ts'
import { failedResult, joinedResult, resolvedResult } from './joined-result.ts'
import { type ErrorScope, graphQLError, maskError, maskedRefusal } from './mask.ts'
import { mutate } from './mutate.ts'
import type { CompiledResult, OperationContext, PipelinePlugin } from './plugin.ts'
import { type Execution, prepareExecution } from './prepare-execution.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Refuses an operation that may not run, takes its points, and runs what can be compiled as one SQL statement, whose JSON goes to the
 * client as it is, and only the rest with resolvers. Nothing that a client could send is executed without it.
 */
export function useExecution(documents: Documents, watch: ChangeWatch, log: Log): PipelinePlugin {
  async function execute(context: OperationContext, sent: VariableValues): Promise<CompiledResult> {
    const { operation, apiRequest, services } = context
    const execution = operation.isNew
      ? await documents.alone(() => prepareExecution(context, sent, documents), context.lifetime)
      : prepareExecution(context, sent, documents)
    if ('errors' in execution) return execution
    const { analysis, plan } = execution
    if (analysis.isDryRun) return price(execution)
    await apiRequest.budget?.charge(analysis.cost)
    if (analysis.isOfFeed) services.database.replicas?.readOnPrimary(context.account)
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

/** The error of a mutation that could not start after others of the same request were done, so that the request must not be retried as a whole. */
function afterOthers(error: GraphQLError, failed: ErrorScope, { operation, analysis }: Execution): GraphQLError {
  if (operation.operation.operation !== 'mutation' || error.extensions.code !== 'UNAVAILABLE') return error
  const [first] = analysis.roots.find(([, { field }]) => field !== TypeNameMetaFieldDef) ?? []
  if (error.path === undefined || error.path[0] === first) return error
  const refusal = new Refusal('OUTCOME_UNKNOWN', `${error.message} The mutations before it were done.`)
  return graphQLError(refusal, failed, error)
}
