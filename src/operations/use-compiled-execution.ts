import { type ExecutionResult, type FieldNode, type GraphQLError, TypeNameMetaFieldDef } from 'graphql'
import type { ChangeWatch } from '../domain/change-watch.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { ExecutionRoot } from '../reads/execution-root.ts'
import type { QueryPlan } from '../reads/query-plan.ts'
import type { Context } from '../schema/context.ts'
import { failedResult, joinedResult } from './joined-result.ts'
import { type Failed, graphQLError, maskError, refusalOf } from './mask.ts'
import { mutate, type Resolve } from './mutate.ts'
import type { CompiledResult, OperationContext, PipelinePlugin } from './pipeline.ts'
import { type ReadyOperation, readyOperation } from './use-analysis.ts'

/** Runs what can be compiled as one SQL statement, whose JSON goes to the client as it is, and only the rest with resolvers. */
export function useCompiledExecution(watch: ChangeWatch, log: Log): PipelinePlugin {
  async function run(context: OperationContext): Promise<CompiledResult> {
    const ready = readyOperation(context)
    const { operation, executable, analysis, plan, reads } = ready
    if (analysis.isDryRun) return price(ready, context)
    if (plan?.resolved.length === 0) return query(ready, plan, context)
    const reading = { ...context, reads }
    const resolve: Resolve = (within, only) => resolveFields(ready, within, only)
    if (plan) return query(ready, plan, context, resolve(reading, plan.resolved))
    if (operation.operation.operation !== 'mutation') return resolve(reading)
    return mutate(operation, executable, reading, resolve).finally(() => watch.noteWrite())
  }

  /** The result of a dry run: only `rateLimit` and `__typename` are resolved. */
  function price({ operation, sent, executable, analysis: { cost } }: ReadyOperation, context: OperationContext) {
    context.budget?.chargeNothing()
    const fields = operation
      .roots(executable.variableValues)
      .flatMap(([, { field, nodes }]) => (field.extensions.returnsPrice || field === TypeNameMetaFieldDef ? nodes : []))
    return operation.execute(sent, new ExecutionRoot(executable, cost), context, fields)
  }

  /** Runs the resolvers of an operation, or only those of some of its root fields. */
  async function resolveFields(ready: ReadyOperation, context: Context, only?: readonly FieldNode[]) {
    const { operation, sent, executable, analysis } = ready
    const root = new ExecutionRoot(executable, analysis.cost)
    const { data, errors } = await operation.execute(sent, root, context, only)
    const failed = data ? 'field' : 'whole'
    const masked = errors?.map((error) => afterOthers(maskError(error, failed, context.requestId, log), failed, ready))
    return { ...(masked && { errors: masked }), ...(data !== undefined && { data }) }
  }

  /** Answers the root fields of a query that have reads with one statement, while resolvers return the others. */
  async function query(
    { operation, executable, reads }: ReadyOperation,
    plan: QueryPlan,
    { requestId }: Context,
    resolving?: Promise<ExecutionResult>,
  ): Promise<CompiledResult> {
    const failed = (error: unknown) => refusalOf(error, requestId, log)
    const [read, resolved] = await Promise.all([reads.answer(plan, executable).catch(failed), resolving])
    if (!(read instanceof Refusal)) return joinedResult(plan, read, resolved)
    return failedResult(read, operation.roots(executable.variableValues), plan, resolved)
  }

  return {
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn(async ({ contextValue }) => {
        try {
          return await run(contextValue)
        } catch (error) {
          return { errors: [maskError(error, 'operation', contextValue.requestId, log)] }
        }
      }),
  }
}

/** The error of a mutation that could not start after others of the same request were done, so that the request must not be retried as a whole. */
function afterOthers(error: GraphQLError, failed: Failed, { operation, executable }: ReadyOperation): GraphQLError {
  if (operation.operation.operation !== 'mutation' || error.extensions.code !== 'UNAVAILABLE') return error
  const [first] =
    operation.roots(executable.variableValues).find(([, { field }]) => field !== TypeNameMetaFieldDef) ?? []
  if (error.path === undefined || error.path[0] === first) return error
  const refusal = new Refusal('OUTCOME_UNKNOWN', `${error.message} The mutations before it were done.`)
  return graphQLError(refusal, failed, error)
}
