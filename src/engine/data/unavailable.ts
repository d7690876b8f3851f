import pg from 'pg'
import { z } from 'zod'

/**
 * PostgreSQL error classes (documentation, appendix A) that are unrelated to the statement: lost connections, rollbacks caused by other
 * transactions, exhausted resources, operator intervention, and system errors.
 */
const postgresClasses = /^(08|40|53|57|58)[0-9A-Z]{3}$/

/**
 * Errors for which a statement may have been sent and its result was lost: Prisma codes, adapter error kinds, system codes,
 * PostgreSQL codes of a terminated backend, and messages that `pg` gives no code.
 */
const notAnswered = new Set([
  ...['P1008', 'P1017', 'P1018', 'ConnectionClosed', 'SocketTimeout', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', '57P01', '57P02', '57P05', '08006', '08007'],
  ...['Query read timeout', 'Connection terminated', 'Connection terminated unexpectedly'],
])

/** PostgreSQL's codes of serialization failures and deadlocks, and Prisma's code and kind of both. */
const conflicts = new Set(['40001', '40P01', 'P2034', 'TransactionWriteConflict'])

/** PostgreSQL's code for a write on a standby. */
export const readOnly = '25006'

/** All errors of an unavailable database, besides the classes above. */
const unavailable = new Set([
  ...notAnswered,
  ...conflicts,
  // PostgreSQL's code for a lock timeout.
  ...[readOnly, '55P03'],
  // No statement was sent: unreachable, or no free connection.
  ...['P1001', 'P1002', 'P2024', 'ECONNREFUSED'],
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  // Prisma's code for a transaction that got no connection or took too long.
  'P2028',
])

const text = z.string().catch('')

/** An error of the driver or of Prisma. The inner error is its cause, or part of Prisma's metadata. */
const layer = z.object({
  code: text,
  kind: text,
  message: text,
  syscall: text,
  severity: text,
  cause: z.unknown().optional(),
  meta: z.object({ driverAdapterError: z.unknown() }).optional().catch(undefined),
})
type Layer = z.infer<typeof layer>

function layersOf(error: unknown): Layer[] {
  const { data } = layer.safeParse(error)
  return data ? [data, ...layersOf(data.cause ?? data.meta?.driverAdapterError)] : []
}

const isIn = (errors: ReadonlySet<string>, { code, kind, message }: Layer) =>
  errors.has(code) || errors.has(kind) || errors.has(message)

/** Whether an error means that the database is unavailable, rather than that the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  return layersOf(error).some((layer) => postgresClasses.test(layer.code) || isIn(unavailable, layer))
}

/** Whether a statement that failed with this error may still have been applied, because its result was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return layersOf(error).some((layer) => {
    if (layer.syscall === 'connect') return false
    // The server ended the connection with this error, possibly after running the statement.
    const endsConnection = ['FATAL', 'PANIC'].includes(layer.severity)
    return endsConnection || isIn(notAnswered, layer)
  })
}

/** Whether a statement could not lock a row in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether a statement or a transaction failed because of another one, so that it may succeed when repeated. */
export function isConflict(error: unknown): boolean {
  return layersOf(error).some((layer) => isIn(conflicts, layer))
}

/** Whether statements that failed together applied nothing, and some of them may succeed apart from the others. */
export function mayRunApart(error: unknown): boolean {
  if (hasUnknownState(error)) return false
  return isLockTimeout(error) || isConflict(error) || !isUnavailable(error)
}

/** Whether the connection of a statement that failed may still be running it, so that it must not be reused. */
export function hasUnknownState(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || isOutcomeUnknown(error)
}

/** Whether a write failed because the row with this id, to which it refers, is gone. */
export const isGone = (error: unknown, id: string): boolean =>
  error instanceof pg.DatabaseError && error.code === '23503' && error.detail?.includes(`(${id})`) === true
