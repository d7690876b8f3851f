import type { GraphQLError } from 'graphql'
import type { Log } from '../log.ts'
import { cheapBytes, cheapCost } from '../reads/cost.ts'
import type { QueryPlan } from '../reads/query-plan.ts'
import { checkSqlSize, type Reads } from '../reads/reads.ts'
import type { ExecutableOperation, VariableValues } from '../reads/selection.ts'
import { chargedTo } from '../schema/context.ts'
import type { Documents } from './documents.ts'
import { maskError } from './mask.ts'
import type { OperationAnalysis } from './operation-analysis.ts'
import type { OperationContext, PipelinePlugin } from './pipeline.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { hasScopesOfEveryKind, refusals } from './refusals.ts'

/** An operation that may run, with all that is known of it before. */
export type ReadyOperation = {
  readonly operation: PreparedOperation
  readonly executable: ExecutableOperation
  readonly analysis: OperationAnalysis
  /** The variables as they were sent. */
  readonly sent: VariableValues
  readonly reads: Reads
  /** The plan of the statement; undefined for an operation whose root fields are all returned by resolvers. */
  readonly plan: QueryPlan | undefined
}

const readyOperations = new WeakMap<object, ReadyOperation>()

/** The operation that a context runs, once `useAnalysis` has let it pass. */
export function readyOperation(context: OperationContext): ReadyOperation {
  const ready = readyOperations.get(context)
  if (!ready) throw new TypeError('The operation was not analyzed')
  return ready
}

/**
 * Refuses an operation before any of it runs: for its variables, scopes, arguments, and price. Compiles its statements, and takes its
 * points. Nothing that a client could send is executed without it.
 */
export function useAnalysis(documents: Documents, log: Log): PipelinePlugin {
  const { introspection } = documents
  const mask = (error: unknown, { requestId }: OperationContext) => maskError(error, 'operation', requestId, log)

  function prepare(
    operation: PreparedOperation,
    sent: VariableValues,
    context: OperationContext,
  ): ReadyOperation | { readonly errors: readonly GraphQLError[] } {
    const { coerced, errors } = operation.coerce(sent, { hidesSuggestions: !introspection })
    if (errors) return { errors }
    const analysis = operation.analyze(coerced)
    const executable = operation.executable(coerced)
    const refused = refusals(analysis, context, executable)
    if (refused.length > 0) return { errors: refused }
    const isCheap = analysis.cost <= cheapCost && analysis.extent.bytes <= cheapBytes
    const reads = isCheap ? context.reads.cheap() : context.reads
    const plan = hasScopesOfEveryKind(analysis, context.session) ? reads.plan(executable) : undefined
    if (plan?.resolved.length !== 0) checkSqlSize(executable, plan)
    return { operation, executable, analysis, sent, reads, plan }
  }

  return {
    onExecute: async ({ args: { contextValue: context, variableValues }, setResultAndStopExecution: refuse }) => {
      try {
        const { operation } = context
        if (!operation) throw new TypeError('There is no operation to run')
        const run = () => prepare(operation, variableValues ?? {}, context)
        const ready = operation.isNew ? await documents.alone(run, context.caller) : run()
        if ('errors' in ready) return refuse(ready)
        const { isDryRun, isOfFeed, cost } = ready.analysis
        if (!isDryRun) {
          context.caller.noteCost(cost)
          await context.budget?.charge(cost)
        }
        if (isOfFeed) context.database.replicas?.readOnPrimary(chargedTo(context.session, context.caller))
        readyOperations.set(context, ready)
      } catch (error) {
        refuse({ errors: [mask(error, context)] })
      }
    },
  }
}
