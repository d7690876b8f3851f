import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import { isUnavailable } from '../data/unavailable.ts'
import { type ErrorCode, Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { scopeEnumName } from '../scopes.ts'

/** The maximum length of a message. Those of GraphQL.js repeat names and values that the client sent. */
const longestMessage = 1_000

/** A message without its middle if it is long. Its end often has the reason. */
function shortened(message: string): string {
  if (message.length <= longestMessage) return message
  const half = longestMessage / 2
  return `${message.slice(0, half)}…${message.slice(-half)}`.toWellFormed()
}

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

/** The error of a refusal at the place of another error. */
export function masked(refusal: Refusal, error: GraphQLError, more: object = {}): GraphQLError {
  const { code, errors, message } = refusal
  const requiredScopes = refusal.requiredScopes?.map((set) => set.map(scopeEnumName))
  return errorLike(error, shortened(message), refusal, {
    code,
    ...(errors && { errors: errors.map((it) => ({ ...it, message: shortened(it.message) })) }),
    ...(requiredScopes && { requiredScopes }),
    ...more,
  })
}

/** The error of a document that cannot run, with its code. */
export function requestError(code: ErrorCode, error: GraphQLError): GraphQLError {
  return masked(new Refusal(code, error.message), error)
}

/** GraphQL.js prints the whole value of an argument if null was sent for a variable in it. */
const printedValue = /^Argument "(\w+)" has invalid value .*/s

/** The error of an argument that GraphQL.js refused. It does not repeat the value. */
export function withoutPrintedValue(error: GraphQLError): GraphQLError {
  const message = error.message.replace(printedValue, 'The value of $1 is invalid, because a variable in it is null.')
  return masked(new Refusal('VALIDATION_FAILED', message), error)
}

/** Logs an unexpected error, and returns what the caller may know of it: that the database is unavailable, or only the id of the request. */
export function unexpectedError(error: unknown, requestId: string, log: Log): Refusal {
  if (isUnavailable(error)) {
    log.warn({ err: error, requestId }, 'the database is unavailable')
    return new Refusal('UNAVAILABLE', 'The database does not respond in time. Try again later.')
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return new Refusal('INTERNAL', `An unexpected error occurred. It is logged as ${requestId}.`)
}

/** Whether GraphQL.js 16 refused the arguments of a field during execution. Only the message tells. */
const isOfArguments = (error: Error) => error instanceof GraphQLError && error.message.startsWith('Argument "')

/** The error as the caller may see it: a refusal unchanged, anything else masked. */
export function maskError(error: unknown, requestId: string, log: Log): GraphQLError {
  const outer = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: toError(error) })
  const cause = outer.originalError ?? outer
  if (cause instanceof Refusal) {
    if (cause.code === 'OUTCOME_UNKNOWN') log.warn({ err: cause, requestId }, 'the outcome of a write is unknown')
    return masked(cause, outer)
  }
  if (isOfArguments(cause)) return withoutPrintedValue(outer)
  const refusal = unexpectedError(cause, requestId, log)
  return masked(refusal, outer, refusal.code === 'INTERNAL' ? { requestId } : {})
}

/** The error of a mutation that could not start after others of the same request were done, so that the request must not be retried as a whole. */
export function afterOthers(error: GraphQLError, firstKey: string | undefined): GraphQLError {
  if (error.extensions.code !== 'UNAVAILABLE' || error.path === undefined || error.path[0] === firstKey) return error
  return masked(new Refusal('OUTCOME_UNKNOWN', `${error.message} The mutations before it were done.`), error)
}

/** The error of a mutation whose transaction was rolled back: its outcome is known. */
export function rolledBack(error: GraphQLError): GraphQLError {
  if (error.extensions.code !== 'OUTCOME_UNKNOWN') return error
  const message = 'The database does not respond in time. Nothing was done: send the same request again.'
  return masked(new Refusal('UNAVAILABLE', message), error)
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
