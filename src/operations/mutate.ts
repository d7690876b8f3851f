import type { ExecutionResult, FieldNode, GraphQLError } from 'graphql'
import { pointsToStore, type RepeatableRequest, runOnce } from '../domain/idempotency.ts'
import { Refusal } from '../errors.ts'
import type { ExecutableOperation } from '../reads/selection.ts'
import { type Context, chargedTo, contextWithin, sessionOf } from '../schema/context.ts'
import { graphQLError } from './mask.ts'
import type { CompiledResult, OperationContext } from './pipeline.ts'
import type { PreparedOperation, Roots } from './prepared-operation.ts'
import { repeatableOf } from './refusals.ts'
import { mayChange, restoreResult, storeResult } from './stored-result.ts'

/** The header of a response that repeats the one to an earlier request with the same key. */
export const replayHeaders = { 'idempotency-replayed': 'true' } as const

/** Runs the resolvers of an operation, or only those of some of its root fields. */
export type Resolve = (context: Context, only?: readonly FieldNode[]) => Promise<ExecutionResult>

/**
 * Runs a mutation, or returns its earlier result. Afterwards, notes its position if there are replicas, and forgets the sessions of the
 * viewer if it may have revoked tokens.
 */
export async function mutate(
  operation: PreparedOperation,
  executable: ExecutableOperation,
  context: OperationContext,
  resolve: Resolve,
): Promise<CompiledResult> {
  const roots = operation.roots(executable.variableValues)
  const repeatable = repeatableOf(roots, context)
  try {
    return await (repeatable ? runOrReplay(executable, repeatable, context, resolve) : resolve(context))
  } finally {
    forgetRevoked(roots, context)
    const { database, session, caller } = context
    if (database.replicas) caller.notePosition(await database.replicas.positionAfterWrite(chargedTo(session, caller)))
  }
}

/** Runs a mutation in one transaction with its result, or returns the result of its first run. */
async function runOrReplay(
  { operation }: ExecutableOperation,
  repeatable: RepeatableRequest,
  context: Context,
  resolve: Resolve,
): Promise<CompiledResult> {
  let unstored: ExecutionResult | undefined
  try {
    const { json, isReplay } = await runOnce(
      context.database,
      sessionOf(context).viewerId,
      repeatable,
      async (transaction) => {
        // A transaction may be repeated.
        unstored = undefined
        const result = await resolve(contextWithin(transaction, context))
        if (mayChange(result)) {
          unstored = result
          const [error] = result.errors ?? []
          throw new Error('A result that may change is not stored', { cause: error?.originalError })
        }
        return { json: storeResult(result), isRefused: result.errors !== undefined }
      },
    )
    if (!isReplay) await context.budget?.spend(pointsToStore(json))
    const restored = restoreResult(json, operation)
    return isReplay ? { ...restored, extensions: { http: { headers: replayHeaders } } } : restored
  } catch (error) {
    if (unstored) return { ...unstored, errors: unstored.errors?.map(rolledBack) ?? [] }
    throw error
  }
}

/** Forgets the sessions of the viewer after a mutation that may have revoked tokens. */
function forgetRevoked(roots: Roots, { session, sessions }: Context): void {
  if (session && roots.some(([, { field }]) => field.extensions.revokesTokens)) sessions.forget(session.viewerId)
}

/** The error of a mutation whose transaction was rolled back: its outcome is known. */
function rolledBack(error: GraphQLError): GraphQLError {
  if (error.extensions.code !== 'OUTCOME_UNKNOWN') return error
  const message = 'The database does not respond in time. Nothing was done: send the same request again.'
  return graphQLError(new Refusal('UNAVAILABLE', message), 'whole', error)
}
