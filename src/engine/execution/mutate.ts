import type { ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql'
import { Refusal } from '../errors.ts'
import { pointsToStore, type RepeatableRequest, runOnce } from './idempotency.ts'
import { graphQLError } from './mask.ts'
import type { CompiledResult } from './plugin.ts'
import type { Execution } from './prepare-execution.ts'
import { repeatableOf } from './refusals.ts'
import type { RequestContext } from './request-context.ts'
import { mayChange, restoreResult, storeResult } from './stored-result.ts'

/** The header of a response that repeats the one to an earlier request with the same key. */
const replayHeaders = { 'idempotency-replayed': 'true' } as const

/** Runs the resolvers of a mutation. */
type Resolve = (context: RequestContext) => Promise<ExecutionResult>

/**
 * Runs a mutation, or returns its earlier result. Afterwards, keeps its position if there are replicas, and forgets the accounts
 * that it changed.
 */
export async function mutate(
  { operation, analysis: { roots }, context }: Execution,
  resolve: Resolve,
): Promise<CompiledResult> {
  const repeatable = repeatableOf(roots, context.options)
  try {
    return await (repeatable ? runOrReplay(repeatable, context, operation.operation, resolve) : resolve(context))
  } finally {
    const { services, apiRequest, account, changedAccounts } = context
    for (const id of changedAccounts) services.viewers.forget(id)
    const { replicas } = services.database
    if (replicas) apiRequest.position = await replicas.positionAfterWrite(account)
  }
}

/** Runs a mutation in one transaction with its result, or returns the result of its first run. */
async function runOrReplay(
  repeatable: RepeatableRequest,
  context: RequestContext,
  operation: OperationDefinitionNode,
  resolve: Resolve,
): Promise<CompiledResult> {
  const { database, viewer, apiRequest } = context
  let unstored: ExecutionResult | undefined
  try {
    const { json, isReplay } = await runOnce(database, viewer.id, repeatable, async (transaction) => {
      // A transaction may be repeated.
      unstored = undefined
      const result = await resolve(context.within(transaction))
      if (mayChange(result)) {
        unstored = result
        const [error] = result.errors ?? []
        throw new Error('A result that may change is not stored', { cause: error?.originalError })
      }
      return { json: storeResult(result), isRefused: result.errors !== undefined }
    })
    if (!isReplay) await apiRequest.budget?.spend(pointsToStore(json))
    const restored = restoreResult(json, operation)
    return isReplay ? { ...restored, extensions: { http: { headers: replayHeaders } } } : restored
  } catch (error) {
    if (unstored) return { ...unstored, errors: unstored.errors?.map(rolledBack) ?? [] }
    throw error
  }
}

/** The error of a mutation whose transaction was rolled back: its outcome is known. */
function rolledBack(error: GraphQLError): GraphQLError {
  if (error.extensions.code !== 'OUTCOME_UNKNOWN') return error
  const message = 'The database does not respond in time. Nothing was done: send the same request again.'
  return graphQLError(new Refusal('UNAVAILABLE', message), 'whole', error)
}
