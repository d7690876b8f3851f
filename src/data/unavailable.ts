import { z } from 'zod'

/**
 * PostgreSQL error classes (documentation, appendix A) that are unrelated to the statement: lost connections, rollbacks caused by other
 * transactions, exhausted resources, operator intervention, and system errors.
 */
const postgresClasses = new Set(['08', '40', '53', '57', '58'])

/** PostgreSQL codes for a read-only database and for a lock timeout. */
const postgresCodes = ['25006', '55P03']

/** Prisma codes, adapter error kinds and system codes for which no statement was sent: unreachable, or no free connection. */
const notSent = [
  ...['P1001', 'P1002', 'P2024', 'P2037', 'DatabaseNotReachable', 'TooManyConnections'],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]

/** The same for a statement that may have been sent and whose result was lost; the PostgreSQL codes mean a terminated backend. */
const notAnswered = [
  ...['P1008', 'P1017', 'P1018', 'ConnectionClosed', 'SocketTimeout', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['57P01', '57P02', '57P05', '08006', '08007'],
]

/** Prisma codes for a transaction that got no connection or took too long, and for a write conflict. */
const rolledBack = ['P2028', 'P2034']

/** Messages of `pg` without a code: no connection of the pool became free, or none could be opened. */
const messagesOfNotSent = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
]

/** Its message for a statement without a response. */
const messagesOfNotAnswered = ['Query read timeout', 'Connection terminated', 'Connection terminated unexpectedly']

/** The system code for a missing socket, for example while the embedded database restarts. */
const noSocket = 'ENOENT'

const codes = new Set([...postgresCodes, ...notSent, ...notAnswered, ...rolledBack])
const messages = new Set([...messagesOfNotSent, ...messagesOfNotAnswered])
const codesOfNotAnswered = new Set([...notAnswered, ...messagesOfNotAnswered])

/** An error of the driver or of Prisma. The inner error is its cause, or part of Prisma's metadata. */
const layer = z.object({
  code: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  syscall: z.string().optional().catch(undefined),
  severity: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
  meta: z.object({ driverAdapterError: z.unknown() }).optional().catch(undefined),
})
type Layer = z.infer<typeof layer>

/** The maximum depth of the chain of causes. */
const deepest = 5

function* layersOf(error: unknown): Generator<Layer> {
  let next = error
  for (let depth = 0; depth < deepest; depth += 1) {
    const { data } = layer.safeParse(next)
    if (!data) return
    yield data
    next = data.cause ?? data.meta?.driverAdapterError
  }
}

/** PostgreSQL codes of errors that end a connection while it opens, before any statement. */
const codesOfOpening = new Set(['28000', '28P01', '3D000', '42501', '53300', '57P03'])

/** Whether the server ended the connection with this error, possibly after running the statement. */
const endsConnection = ({ code = '', severity = '' }: Layer) =>
  (severity === 'FATAL' || severity === 'PANIC') && !codesOfOpening.has(code)

/** A message that PostgreSQL does not understand is a bug in this program, not a connection failure. */
const isProtocolError = ({ code, severity }: Layer) => code === '08P01' && severity === 'ERROR'

const isPostgresCode = (code: string) => /^[0-9A-Z]{5}$/.test(code) && postgresClasses.has(code.slice(0, 2))

/** Whether an error means that the database is unavailable, rather than that the statement is wrong. */
export function isUnavailable(error: unknown): boolean {
  const layers = [...layersOf(error)]
  if (layers.some(isProtocolError)) return false
  return layers.some(
    ({ code = '', kind = '', message = '', syscall }) =>
      isPostgresCode(code) ||
      codes.has(code) ||
      codes.has(kind) ||
      messages.has(message) ||
      (syscall === 'connect' && code === noSocket),
  )
}

/** Whether a statement that failed with this error may still have been applied, because its result was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return [...layersOf(error)].some((layer) => {
    const { code = '', kind = '', message = '', syscall } = layer
    if (syscall === 'connect') return false
    return endsConnection(layer) || [code, kind, message].some((it) => codesOfNotAnswered.has(it))
  })
}
