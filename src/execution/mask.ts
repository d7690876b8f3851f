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

/** The error of a variable whose value does not fit its type, naming the field as the caller wrote it. */
export function variableError(error: GraphQLError): GraphQLError {
  const definition = error.nodes?.find((node) => node.kind === Kind.VARIABLE_DEFINITION)
  const name = definition?.variable.name.value ?? ''
  // Beside the message of what is wrong, only the whole message tells where: between the value and that message.
  const message = error.originalError?.message
  const where = message && error.message.slice(0, -message.length).match(/ at "([^"]+)"; $/)?.[1]
  const errors: FieldError[] = [{ field: where ?? name, message: message ?? 'is required' }]
  return masked(new Refusal('VALIDATION_FAILED', error.message, { errors }), error)
}

/** A refusal for an error that is not meant for the caller: that the database is away, or else only the request's id, under which it is logged. */
export function unforeseen(error: unknown, requestId: string, log: Log): Refusal {
  if (isUnavailable(error)) {
    log.warn({ err: error, requestId }, 'the database is unavailable')
    return new Refusal('UNAVAILABLE', 'The database does not answer in time: try again later.')
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return new Refusal('INTERNAL', `Something went wrong here. It is logged as ${requestId}.`)
}

/** What the caller is told of an error: refusals as they are, anything else masked. */
export function maskError(error: unknown, requestId: string, log: Log): GraphQLError {
  const outer = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: toError(error) })
  const cause = outer.originalError ?? outer
  if (cause instanceof Refusal) {
    if (cause.code === 'OUTCOME_UNKNOWN') log.warn({ err: cause, requestId }, 'the outcome of a write is unknown')
    return masked(cause, outer)
  }
  if (cause instanceof GraphQLError && cause.message.startsWith('Argument "'))
    return requestError('VALIDATION_FAILED', outer)
  const refusal = unforeseen(cause, requestId, log)
  return masked(refusal, outer, refusal.code === 'INTERNAL' ? { requestId } : {})
}

/** The error of a mutation that could not be begun after others of the same request were done, so that not all of it may be sent again. */
export function afterOthers(error: GraphQLError, firstKey: string | undefined): GraphQLError {
  if (error.extensions.code !== 'UNAVAILABLE' || error.path === undefined || error.path[0] === firstKey) return error
  return masked(new Refusal('OUTCOME_UNKNOWN', `${error.message} What comes before it was done.`), error)
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
