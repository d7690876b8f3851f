import { type ExecutionResult, GraphQLError, type OperationDefinitionNode } from 'graphql'
import { z } from 'zod'
import { errorCodes, isErrorCode, isForbiddenReason, Refusal } from '../errors.ts'
import type { Scope } from '../scopes.ts'

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
export function storeResult({ data, errors }: ExecutionResult): string {
  return JSON.stringify({ data, errors: errors?.map(storeError) })
}

function storeError({ message, path, positions, extensions, originalError }: GraphQLError): object {
  if (!(originalError instanceof Refusal)) throw new TypeError('A result to store has an error without a refusal')
  const { code, message: detail, details } = originalError
  const { reason, errors, requiredScopes, missingScopes } = details
  return { message, path, positions, extensions, code, detail, reason, errors, requiredScopes, missingScopes }
}

/** Whether the same request could succeed later, or was refused before anything was read, so that its result is not stored. */
export function mayChange({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ originalError }) => {
    if (!(originalError instanceof Refusal)) return true
    const { code } = originalError
    return errorCodes[code].status >= 500 || code === 'UNAUTHENTICATED' || code === 'VALIDATION_FAILED'
  })
}

/** The result of an operation from its stored JSON. */
export function restoreResult(json: string, { loc }: OperationDefinitionNode): ExecutionResult {
  const { data, errors } = storedResult.parse(JSON.parse(json))
  const restored = errors?.map(({ message, path, positions, extensions, code, detail, ...details }) => {
    const originalError = new Refusal(code, detail, details)
    return new GraphQLError(message, { originalError, extensions, path, positions, source: positions && loc?.source })
  })
  return { ...(restored && { errors: restored }), ...(data !== undefined && { data }) }
}
