import type { GraphQLError } from 'graphql'
import type { OperationReads } from '../compiler/operation-reads.ts'
import type { QueryPlan } from '../compiler/query-plan.ts'
import type { VariableValues } from '../compiler/selection.ts'
import { satisfies } from '../scopes.ts'
import { coerceVariables } from './coerce-variables.ts'
import type { Documents } from './documents.ts'
import type { OperationAnalysis } from './operation-analysis.ts'
import type { OperationContext } from './plugin.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { refusals } from './refusals.ts'

/** An operation that may run, with all that is known of it before. */
export type Execution = {
  readonly context: OperationContext
  readonly operation: PreparedOperation
  readonly analysis: OperationAnalysis
  /** The variables as they were sent. */
  readonly sent: VariableValues
  /** The plan of the statement; undefined for an operation whose root fields are all returned by resolvers. */
  readonly plan: QueryPlan | undefined
  readonly reads: OperationReads
}

/**
 * Prepares an operation before any of it runs: checks its variables, scopes, arguments and price, and compiles its statements. Returns its
 * errors if it may not run.
 */
export function prepareExecution(
  context: OperationContext,
  sent: VariableValues,
  documents: Documents,
): Execution | { readonly errors: readonly GraphQLError[] } {
  const { operation, apiRequest } = context
  const { coerced, errors } = coerceVariables(operation, sent, !documents.introspection)
  if (errors) return { errors }
  const { schema, operation: definition, fragments, isBuiltIn } = operation
  const executable = { schema, operation: definition, fragments, variableValues: coerced, isBuiltIn }
  const analysis = operation.analyze(executable)
  const refused = refusals(analysis, apiRequest, executable)
  if (refused.length > 0) return { errors: refused }
  const reads = context.begin(executable, documents.compiled, analysis)
  const { viewer } = apiRequest
  // Without the scopes of both kinds, an object that is found can be refused, which resolvers do.
  const mayFindEveryKind = analysis.requirements.every(
    ({ sets, isRoot }) => !isRoot || sets.every((set) => viewer && satisfies(viewer.scopes, [set])),
  )
  const plan = mayFindEveryKind ? reads.plan() : undefined
  if (plan?.resolved.length !== 0) reads.checkSqlSize(plan)
  return { context, operation, analysis, sent, plan, reads }
}
