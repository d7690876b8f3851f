import pino from 'pino'

/** The logger, passed down from startup. Modules add their own fields with `child`. */
export type Log = pino.Logger

/** The levels of pino, from most to least verbose. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The lowest level that is logged. */
export type LogLevel = (typeof logLevels)[number]

/** How many characters wait to be read from the log before lines are dropped. */
const maxWaiting = 16 * 2 ** 20

/** Creates a logger that writes JSON lines to stderr, because stdout carries the output of commands. Requests do not wait for it. */
export function createLog(level: LogLevel): Log {
  return pino({ level }, pino.destination({ dest: 2, sync: false, maxLength: maxWaiting }))
}
