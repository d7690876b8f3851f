import { type ExecutionResult, GraphQLError, type OperationDefinitionNode } from 'graphql'
import { z } from 'zod'
import { errorCodes, isErrorCode, isForbiddenReason, Refusal } from '../errors.ts'
import type { Scope } from '../scopes.ts'
import { pointsToStore, type RepeatableRequest, runOnce } from './idempotency.ts'
import { graphQLError } from './mask.ts'
import { type Execution, repeatableOf } from './prepare-execution.ts'
import type { CompiledResult } from './prepared-operation.ts'
import type { RequestContext } from './request-context.ts'

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
    const { services, apiRequest, rateLimitKey, changedAccounts } = context
    for (const id of changedAccounts) services.viewers.forget(id)
    const { replicas } = services.database
    if (replicas) apiRequest.position = await replicas.positionAfterWrite(rateLimitKey)
  }
}

/** Runs a mutation in one transaction with its result, or returns the result of its first run. */
async function runOrReplay(
  repeatable: RepeatableRequest,
  context: RequestContext,
  operation: OperationDefinitionNode,
  resolve: Resolve,
): Promise<CompiledResult> {
  const { database, viewer, apiRequest, services } = context
  const isHidden = services.isResultHidden(viewer)
  let unstored: ExecutionResult | undefined
  try {
    const { json, isReplay } = await runOnce(database, viewer.id, repeatable, isHidden, async (transaction) => {
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

// A copy would lose a response key such as `__proto__`.
const object = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null)

const scope = z.custom<Scope>((value) => typeof value === 'string')

const storedError = z.object({
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  positions: z.array(z.number()).optional(),
  extensions: object,
  code: z.string().refine(isErrorCode),
  detail: z.string(),
  reason: z.string().refine(isForbiddenReason).exactOptional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).exactOptional(),
  requiredScopes: z.array(z.array(scope)).exactOptional(),
  missingScopes: z.array(scope).exactOptional(),
})

const storedResult = z.object({ data: object.nullish(), errors: z.array(storedError).optional() })

/** The JSON of a result, from which the responses of both APIs can be built again. Its errors are masked, so each has a refusal. */
function storeResult({ data, errors }: ExecutionResult): string {
  return JSON.stringify({ data, errors: errors?.map(storeError) })
}

function storeError({ message, path, positions, extensions, originalError }: GraphQLError): object {
  if (!(originalError instanceof Refusal)) throw new TypeError('A result to store has an error without a refusal')
  const { code, message: detail, details } = originalError
  const { reason, errors, requiredScopes, missingScopes } = details
  return { message, path, positions, extensions, code, detail, reason, errors, requiredScopes, missingScopes }
}

/** Whether the same request could succeed later, or was refused before anything was read, so that its result is not stored. */
function mayChange({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ originalError }) => {
    if (!(originalError instanceof Refusal)) return true
    const { code } = originalError
    return errorCodes[code].status >= 500 || ['UNAUTHENTICATED', 'VALIDATION_FAILED', 'RATE_LIMITED'].includes(code)
  })
}

/** The result of an operation from its stored JSON. */
function restoreResult(json: string, { loc }: OperationDefinitionNode): ExecutionResult {
  const { data, errors } = storedResult.parse(JSON.parse(json))
  const restored = errors?.map(({ message, path, positions, extensions, code, detail, ...details }) => {
    const originalError = new Refusal(code, detail, details)
    return new GraphQLError(message, { originalError, extensions, path, positions, source: positions && loc?.source })
  })
  return { ...(restored && { errors: restored }), ...(data !== undefined && { data }) }
}
