import pino from 'pino'

/** The logger that is handed down from the start; a part adds its own fields with `child`. */
export type Log = pino.Logger

/** pino's levels, the most talkative first; `silent` says nothing. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** How much is logged. */
export type LogLevel = (typeof logLevels)[number]

/** A logger that writes JSON lines to stderr; stdout is for people. */
export function createLog(level: LogLevel): Log {
  return pino({ level }, pino.destination({ dest: 2, sync: true }))
}
