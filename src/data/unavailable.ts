import { z } from 'zod'
import { Prisma } from './generated/prisma/client.ts'

/** Prisma's codes for a server that is out of reach or too slow, and for a transaction that waited too long. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'])

/** PostgreSQL's (appendix A) for a cancelled statement, a shutdown, a start, and too many connections. */
const postgresCodes = new Set(['57014', '57P01', '57P02', '57P03', '53300'])

/** The system's, for a server that cannot be reached or that hung up. */
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

/** What `pg` says, without a code, when no connection of the pool gets free or a statement is not answered. */
const messages = new Set([
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated unexpectedly',
])

const driverError = z.object({ driverAdapterError: z.object({ cause: z.object({ code: z.string() }) }) })

/** Whether an error says that the database cannot answer now, rather than that something is wrong with what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (messages.has(error.message)) return true
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    (postgresCodes.has(error.code) || networkCodes.has(error.code))
  )
    return true
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false
  const driver = driverError.safeParse(error.meta)
  return prismaCodes.has(error.code) || (driver.success && postgresCodes.has(driver.data.driverAdapterError.cause.code))
}
