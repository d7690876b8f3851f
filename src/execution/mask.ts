import { GraphQLError, type GraphQLErrorExtensions, Kind } from 'graphql'
import { isUnavailable } from '../data/unavailable.ts'
import { type ErrorCode, type FieldError, Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { scopeEnumName } from '../scopes.ts'

/** An error at the same place as another, with other extensions. */
export function errorLike(
  { nodes, path, source, positions }: GraphQLError,
  message: string,
  originalError: Error | undefined,
  extensions: GraphQLErrorExtensions,
): GraphQLError {
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(path && { path }),
    ...(source && { source }),
    ...(positions && { positions }),
    ...(originalError && { originalError }),
    extensions,
  })
}

function masked(refusal: Refusal, error: GraphQLError, more: object = {}): GraphQLError {
  const { code, errors, message } = refusal
  const requiredScopes = refusal.requiredScopes?.map((set) => set.map(scopeEnumName))
  return errorLike(error, message, refusal, {
    code,
    ...(errors && { errors }),
    ...(requiredScopes && { requiredScopes }),
    ...more,
  })
}

/** The error of a document that cannot be run, with its code. */
export function requestError(code: ErrorCode, error: GraphQLError): GraphQLError {
  return masked(new Refusal(code, error.message), error)
}

const place = /^Variable "\$(?<name>\w+)"(?: got invalid value .*?)?(?: at "(?<path>[^"]+)")?; (?<message>.*)$/s

/** The error of a variable whose value does not fit its type, naming the field as the caller wrote it. */
export function variableError(error: GraphQLError): GraphQLError {
  const definition = error.nodes?.find((node) => node.kind === Kind.VARIABLE_DEFINITION)
  const groups = place.exec(error.message)?.groups
  const field = groups?.path ?? definition?.variable.name.value ?? ''
  const message =
    groups?.message ??
    (error.message.includes('not be null') || error.message.includes('not provided') ? 'is required' : error.message)
  const errors: FieldError[] = [{ field, message }]
  return masked(new Refusal('VALIDATION_FAILED', error.message, { errors }), error)
}

/** What the caller is told of an error: refusals as they are, anything else only by the request's id, under which it is logged. */
export function maskError(error: unknown, requestId: string, log: Log): GraphQLError {
  const outer = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: toError(error) })
  const cause = outer.originalError ?? outer
  if (cause instanceof Refusal) return masked(cause, outer)
  if (cause instanceof GraphQLError && cause.message.startsWith('Argument "'))
    return requestError('VALIDATION_FAILED', outer)
  if (isUnavailable(cause)) {
    log.warn({ err: cause, requestId }, 'the database is unavailable')
    return masked(new Refusal('UNAVAILABLE', 'The database does not answer in time: try again later.'), outer)
  }
  log.error({ err: cause, requestId }, 'unexpected error')
  return masked(new Refusal('INTERNAL', `Something went wrong here. It is logged as ${requestId}.`), outer, {
    requestId,
  })
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
