import { type ASTNode, GraphQLError, TypeNameMetaFieldDef } from 'graphql'
import { insufficientScope, refusalOfRestricted } from '../auth/viewers.ts'
import type { OperationReads } from '../compiler/operation-reads.ts'
import type { QueryPlan } from '../compiler/plans.ts'
import type { ExecutableOperation, VariableValues } from '../compiler/selection.ts'
import { Refusal } from '../errors.ts'
import { satisfies } from '../scopes.ts'
import { coerceVariables } from './coerce-variables.ts'
import type { Documents } from './documents.ts'
import { maxErrors } from './limits.ts'
import { argumentError, graphQLError } from './mask.ts'
import type { OperationAnalysis, Roots } from './operation-analysis.ts'
import type { OperationContext, PreparedOperation } from './prepared-operation.ts'
import { maxCost, maxCostWithoutToken } from './price.ts'
import { type ApiRequest, type RequestContext, unauthenticated } from './request-context.ts'

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
  const refused = refusalErrors(analysis, apiRequest, executable)
  if (refused.length > 0) return { errors: refused }
  const reads = context.startExecution(executable, documents.compiled, analysis)
  const { viewer } = apiRequest
  // Without the scopes of both kinds, an object that is found can be refused, which resolvers do.
  const mayFindEveryKind = analysis.requirements.every(
    ({ sets, isRoot }) => !isRoot || sets.every((set) => viewer && satisfies(viewer.scopes, [set])),
  )
  const plan = mayFindEveryKind ? reads.plan() : undefined
  if (plan?.resolved.length !== 0) reads.checkSqlSize(plan)
  return { context, operation, analysis, sent, plan, reads }
}

const refusedAt = (refusal: Refusal, node: ASTNode) => graphQLError(refusal, 'operation', { nodes: [node] })

/**
 * Why an operation is refused, with at most `maxErrors` errors; nothing when it may run. A restriction comes before scopes, these
 * before arguments, and arguments before the cost.
 */
function refusalErrors(
  analysis: OperationAnalysis,
  { viewer, tokenRefusal, budget }: ApiRequest,
  { operation, variableValues }: Pick<ExecutableOperation, 'operation' | 'variableValues'>,
): readonly GraphQLError[] {
  const { needsToken, requirements, uses, cost, largestShare } = analysis
  if (needsToken && !viewer) return [refusedAt(tokenRefusal ?? unauthenticated(), operation)]
  for (const use of viewer?.restriction ? uses : []) {
    const refusal = refusalOfRestricted(viewer, use)
    if (refusal) return [graphQLError(refusal, 'request', { nodes: [use.node] })]
  }
  const missing = requirements.filter(({ sets }) => !viewer || !satisfies(viewer.scopes, sets))
  if (missing.length > 0) {
    return missing
      .slice(0, maxErrors)
      .map(({ sets, node, what }) => refusedAt(insufficientScope(sets, viewer, what), node))
  }
  const errors = analysis.argumentChecks.length > 0 ? argumentErrors(analysis, variableValues) : []
  if (errors.length > 0) return errors
  const limit = Math.min(viewer ? maxCost : maxCostWithoutToken, budget?.limit ?? maxCost)
  if (cost > limit) {
    const costliest = `Its most expensive field, ${largestShare.path}, costs ${Math.round(largestShare.cost)}`
    const message = `An operation costs at most ${limit}; this one costs ${cost}. ${costliest}: request less at once.`
    return [refusedAt(invalidOperation(message), operation)]
  }
  return []
}

/** The first errors of the arguments of an operation, with those of its cursors. */
export function argumentErrors(
  { argumentChecks }: OperationAnalysis,
  variableValues: ExecutableOperation['variableValues'],
): readonly GraphQLError[] {
  const errors: GraphQLError[] = []
  for (const check of argumentChecks) {
    if (errors.length === maxErrors) break
    if (check instanceof GraphQLError) errors.push(check)
    else {
      try {
        check.decode(variableValues).range()
      } catch (error) {
        errors.push(argumentError(error, [check.node]))
      }
    }
  }
  return errors
}

/**
 * The key with which a mutation runs only once. Undefined for one with passwords or tokens, which are never stored. Throws
 * `VALIDATION_FAILED` for several mutations, and `BAD_REQUEST` for an invalid key.
 */
export function repeatableOf(roots: Roots, { repeatable }: RequestContext['options']) {
  const [first, ...others] = roots.map(([, { field }]) => field).filter((field) => field !== TypeNameMetaFieldDef)
  if (first?.extensions.handlesSecrets && others.length === 0) return undefined
  const request = repeatable?.()
  if (request && others.length > 0)
    throw invalidOperation('An Idempotency-Key covers one mutation. Send each with a key of its own.')
  return request
}

function invalidOperation(message: string): Refusal {
  return new Refusal('VALIDATION_FAILED', message)
}
