import { GraphQLError } from 'graphql'
import pg from 'pg'
import { InvalidOperation } from '../compiler/limits.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { type ErrorCode, errorCodes, InvalidToken, Refusal } from '../errors.ts'
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

/**
 * What failed: a `request` without a known operation, an `operation` before any of it was executed, the `whole` result of an executed
 * one, or a `field` of it.
 */
export type ErrorScope = 'request' | 'operation' | 'whole' | 'field'

/** Errors that leave no data because the server does not answer at the moment, so that clients and proxies try again later. */
const temporary: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'RATE_LIMITED'])

/**
 * What the error says about the HTTP response: GraphQL Yoga reads it. With `spec`, `application/json` keeps 200 (GraphQL over HTTP,
 * section 6.4.1).
 */
function httpOf(refusal: Refusal, failed: ErrorScope): object | undefined {
  const { code, headers } = refusal
  const { status, everywhere } = errorCodes[code]
  if (failed === 'field') return undefined
  if (failed === 'whole')
    return temporary.has(code) || refusal instanceof InvalidToken ? { status, headers } : undefined
  return failed === 'request' || everywhere ? { status, headers } : { status: 400, headers, spec: true }
}

/** The GraphQL error of a refusal, at the place of another error or of some nodes. */
export function graphQLError(
  refusal: Refusal,
  failed: ErrorScope,
  { nodes, path, source, positions }: Partial<Pick<GraphQLError, 'nodes' | 'path' | 'source' | 'positions'>> = {},
): GraphQLError {
  const { code, message, details } = refusal
  const { reason, errors, suspension, challenge, current, limit, resetsAt, requestId } = details
  const requiredScopes = details.requiredScopes?.map((set) => set.map(scopeEnumName))
  const http = httpOf(refusal, failed)
  return new GraphQLError(shortened(message), {
    ...(nodes && { nodes }),
    ...(path && { path }),
    ...(source && { source }),
    ...(positions && { positions }),
    originalError: refusal,
    extensions: {
      code,
      ...(reason && { reason }),
      ...(errors && { errors: errors.map((it) => ({ ...it, message: shortened(it.message) })) }),
      ...(requiredScopes && { requiredScopes }),
      ...suspension,
      ...(challenge && { challenge }),
      ...current,
      ...(limit && { limit }),
      ...(resetsAt && { resetsAt }),
      ...(requestId && { requestId }),
      ...(http && { http }),
    },
  })
}

/** Whether an error was made by `graphQLError`. */
export function isMasked(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && error.originalError instanceof Refusal
}

/** The error of a document that cannot run, with its code. */
export function documentError(code: ErrorCode, error: GraphQLError): GraphQLError {
  return graphQLError(new Refusal(code, error.message), 'operation', error)
}

/** GraphQL.js prints the whole value of an argument if null was sent for a variable in it. */
const printedValue = /^Argument "(\w+)" has invalid value .*/s

/** The refusal of an argument that GraphQL.js refused. It does not repeat the value. */
function argumentRefusal({ message }: GraphQLError): Refusal {
  const [, field] = printedValue.exec(message) ?? []
  if (field === undefined) return new Refusal('VALIDATION_FAILED', message)
  const what = 'is invalid, because a variable in it is null'
  return new Refusal('VALIDATION_FAILED', `The value of ${field} ${what}.`, { errors: [{ field, message: what }] })
}

/** The error of the arguments of a field, before its operation is executed. Rethrows any other error. */
export function argumentError(given: unknown, nodes: GraphQLError['nodes'] & object): GraphQLError {
  const error = refusalOfRead(given)
  if (error instanceof Refusal) return graphQLError(error, 'operation', { nodes })
  if (error instanceof GraphQLError) return graphQLError(argumentRefusal(error), 'operation', error)
  throw error
}

/** The refusal of a read that is invalid, or whose cursor names no stored change; any other error as it is. */
export function refusalOfRead(error: unknown): unknown {
  if (error instanceof InvalidOperation) {
    const { message, errors } = error
    return new Refusal('VALIDATION_FAILED', message, errors.length > 0 ? { errors } : {})
  }
  if (!(error instanceof pg.DatabaseError) || error.code !== noDataFound) return error
  const message = 'Changes after this cursor may be lost. Read everything again, from a new cursor.'
  return new Refusal('CURSOR_EXPIRED', message)
}

/** The SQLSTATE of a statement that found no row where there has to be one. */
const noDataFound = 'P0002'

/** Whether GraphQL.js 16 refused the arguments of a field during execution. Only the message tells. */
const isOfArguments = (error: unknown) => error instanceof GraphQLError && error.message.startsWith('Argument "')

/**
 * What the caller may know of an error: of an unexpected one, which is logged, only that the database is unavailable or the id of the
 * request.
 */
export function maskedRefusal(given: unknown, requestId: string, log: Log): Refusal {
  const error = refusalOfRead(given)
  if (error instanceof Refusal) {
    if (error.code === 'OUTCOME_UNKNOWN') log.warn({ err: error, requestId }, 'the outcome of a write is unknown')
    return error
  }
  if (isUnavailable(error)) {
    log.warn({ err: error, requestId }, 'the database is unavailable')
    return new Refusal('UNAVAILABLE', 'The database does not respond in time. Try again later.', { cause: error })
  }
  log.error({ err: error, requestId }, 'unexpected error')
  return new Refusal('INTERNAL', `An unexpected error occurred. It is logged as ${requestId}.`, { requestId })
}

/** The error as the caller may see it: a refusal unchanged, anything else masked and logged. */
export function maskError(error: unknown, failed: ErrorScope, requestId: string, log: Log): GraphQLError {
  const outer = error instanceof GraphQLError ? error : new GraphQLError('')
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error
  if (isOfArguments(cause)) return graphQLError(argumentRefusal(outer), failed, outer)
  return graphQLError(maskedRefusal(cause, requestId, log), failed, outer)
}

/** The error of a request whose operation did not run. */
export function requestError(error: unknown, requestId: string, log: Log): GraphQLError {
  if (isMasked(error)) return error
  return error instanceof Refusal ? graphQLError(error, 'request') : maskError(error, 'operation', requestId, log)
}
