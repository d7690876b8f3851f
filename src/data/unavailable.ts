import { z } from 'zod'

/** Prisma's codes for a server that is out of reach, too slow or full, and for a transaction that waited too long. */
const prismaCodes = ['P1001', 'P1002', 'P1008', 'P1017', 'P1018', 'P2024', 'P2028', 'P2037']

/** What the adapter calls the same. */
const adapterKinds = ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']

/**
 * PostgreSQL's (appendix A) for a cancelled statement, a shutdown, a start, too many connections, a full disk, and a database that may
 * only be read, as the embedded one may while its disk is nearly full.
 */
const postgresCodes = ['57014', '57P01', '57P02', '57P03', '53300', '53100', '25006']

/** The system's, for a server that cannot be reached or that hung up. */
const systemCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']

/** The system's, where there is no socket to connect to, as while the embedded database starts again. */
const connectCodes = ['ENOENT']

/** What `pg` says, without a code, when no connection of the pool gets free or a connection or a statement is not answered. */
const messages = new Set([
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
])

const codes = new Set([...prismaCodes, ...adapterKinds, ...postgresCodes, ...systemCodes])

/** An error of the driver, or of Prisma around one: the error within is its cause, or stands in what Prisma tells of it. */
const layer = z.object({
  code: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  syscall: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
  meta: z.object({ driverAdapterError: z.unknown() }).optional().catch(undefined),
})

/** How many errors are looked at, each the cause of the one before. */
const deepest = 5

/** Whether an error says that the database cannot answer now, rather than that something is wrong with what was asked. */
export function isUnavailable(error: unknown): boolean {
  let next = error
  for (let depth = 0; depth < deepest; depth += 1) {
    const parsed = layer.safeParse(next)
    if (!parsed.success) return false
    const { code = '', kind = '', message = '', syscall, cause, meta } = parsed.data
    if (codes.has(code) || codes.has(kind) || messages.has(message)) return true
    if (syscall === 'connect' && connectCodes.includes(code)) return true
    next = cause ?? meta?.driverAdapterError
  }
  return false
}
