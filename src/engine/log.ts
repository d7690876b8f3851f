import pino from 'pino'
import sonicBoom from 'sonic-boom'

/** The logger, passed down from startup. Modules add their own fields with `child`. */
export type Log = pino.Logger

/** The levels of pino, from most to least verbose. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The lowest level that is logged. */
type LogLevel = (typeof logLevels)[number]

/** How many bytes wait for a log that takes none. Above, lines are lost. */
const maxWaiting = 16 * 2 ** 20

/** How many bytes are written together, and after how many milliseconds fewer are, or are tried again. */
const together = { bytes: 4_096, milliseconds: 100 } as const

/** Writes to stderr, because stdout carries the output of commands. Nothing waits for it, neither requests nor the end of the process. */
const stderr = new sonicBoom.SonicBoom({
  fd: 2,
  maxLength: maxWaiting,
  minLength: together.bytes,
  periodicFlush: together.milliseconds,
  retryEAGAIN: () => false,
})
  // Lines that could not be written are kept, and tried again.
  .on('error', () => undefined)
process.once('exit', () => {
  try {
    stderr.flushSync()
  } catch {
    // Nobody could be told.
  }
})

/** Creates a logger that writes JSON lines. */
export function createLog(level: LogLevel): Log {
  return pino({ level }, stderr)
}
