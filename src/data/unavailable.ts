import { z } from 'zod'

/**
 * PostgreSQL's classes of errors (documentation, appendix A) that say nothing of what was asked: lost connections, rollbacks for others'
 * sake, resources that ran out, the operator's interventions, and errors of the system.
 */
const postgresClasses = new Set(['08', '40', '53', '57', '58'])

/** PostgreSQL's codes for a database that may only be read, and for a lock that was not granted in time. */
const postgresCodes = ['25006', '55P03']

/** Codes of Prisma, kinds of its adapter, and codes of the system where no statement was sent: nothing can be reached, or all are taken. */
const notSent = [
  ...['P1001', 'P1002', 'P2024', 'P2037', 'DatabaseNotReachable', 'TooManyConnections'],
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]

/** The same where a statement may have been sent, and its answer was lost; PostgreSQL's are those for a backend that was ended. */
const notAnswered = [
  ...['P1008', 'P1017', 'P1018', 'ConnectionClosed', 'SocketTimeout', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
  ...['57P01', '57P02', '57P05', '08006', '08007'],
]

/** Prisma's codes for a transaction that found no connection or took too long, and for one that lost against another. */
const rolledBack = ['P2028', 'P2034']

/** What `pg` says, without a code, when no connection of the pool gets free or none can be opened. */
const messagesOfNotSent = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
]

/** What it says when a statement is not answered. */
const messagesOfNotAnswered = ['Query read timeout', 'Connection terminated', 'Connection terminated unexpectedly']

/** The system's code where there is no socket to connect to, as while the embedded database starts again. */
const noSocket = 'ENOENT'

const codes = new Set([...postgresCodes, ...notSent, ...notAnswered, ...rolledBack])
const messages = new Set([...messagesOfNotSent, ...messagesOfNotAnswered])
const codesOfNotAnswered = new Set([...notAnswered, ...messagesOfNotAnswered])

/** An error of the driver, or of Prisma around one: the error within is its cause, or stands in what Prisma tells of it. */
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

/** How many errors are looked at, each the cause of the one before. */
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

/** PostgreSQL's codes of errors that end a connection while it opens, before any statement. */
const codesOfOpening = new Set(['28000', '28P01', '3D000', '42501', '53300', '57P03'])

/** Whether the server ended the connection with this error, after it may have done what was asked. */
const endsConnection = ({ code = '', severity = '' }: Layer) =>
  (severity === 'FATAL' || severity === 'PANIC') && !codesOfOpening.has(code)

/** A message that PostgreSQL could not understand is a fault of this program, and not of the connection. */
const isProtocolError = ({ code, severity }: Layer) => code === '08P01' && severity === 'ERROR'

const isPostgresCode = (code: string) => /^[0-9A-Z]{5}$/.test(code) && postgresClasses.has(code.slice(0, 2))

/** Whether an error says that the database cannot answer now, rather than that something is wrong with what was asked. */
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

/** Whether a statement that failed with this error may have been done all the same, because its answer was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return [...layersOf(error)].some((layer) => {
    const { code = '', kind = '', message = '', syscall } = layer
    if (syscall === 'connect') return false
    return endsConnection(layer) || [code, kind, message].some((it) => codesOfNotAnswered.has(it))
  })
}
