import { Refusal } from '../errors.ts'
import { isOutcomeUnknown, isUnavailable } from './unavailable.ts'

/**
 * Runs a write. If the connection breaks before the database responds, throws `OUTCOME_UNKNOWN` with a way to find out whether the write
 * was done, such as "read publication …".
 */
export async function reportUnknownOutcome<T>(howToCheck: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    if (!isOutcomeUnknown(cause)) throw cause
    const message = `The database did not respond in time, so it is unknown whether this was done. To find out, ${howToCheck}.`
    throw new Refusal('OUTCOME_UNKNOWN', message, { cause })
  }
}

/** Reads what was written, and tries again if the connection fails. Throws `OUTCOME_UNKNOWN` if it fails again, or is too large. */
export async function readAfterWrite<T>(howToRead: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read().catch((error: unknown) => {
      if (isUndone(error)) return read()
      throw error
    })
  } catch (cause) {
    const isTooLarge = cause instanceof Refusal && cause.code === 'VALIDATION_FAILED'
    if (!isTooLarge && !isUndone(cause)) throw cause
    const why = isTooLarge ? `the result cannot be returned. ${cause.message}` : 'the result cannot be read now.'
    throw new Refusal('OUTCOME_UNKNOWN', `This was done, but ${why} To see it, ${howToRead}.`, { cause })
  }
}

/**
 * Whether the server is busy or the database unavailable. An error of a write means that nothing was done then, if `reportUnknownOutcome`
 * has let it through.
 */
export function isUndone(error: unknown): boolean {
  return error instanceof Refusal ? error.code === 'UNAVAILABLE' : isUnavailable(error)
}
