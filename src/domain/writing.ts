import { isOutcomeUnknown, isUnavailable } from '../data/unavailable.ts'
import { Refusal } from '../errors.ts'

/**
 * Does a write. Where the connection breaks before the database answers, throws `OUTCOME_UNKNOWN`, which says how to find out whether it
 * was done, such as "read publication …".
 */
export async function writing<T>(howToTell: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    if (!isOutcomeUnknown(cause)) throw cause
    const message = `The database did not answer in time, so this may have been done or not. To find out, ${howToTell}.`
    throw new Refusal('OUTCOME_UNKNOWN', message, { cause })
  }
}

/** Reads back what was written, again where the first connection fails. Throws `OUTCOME_UNKNOWN` where the second one does too. */
export async function readingBack<T>(howToRead: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read().catch((error: unknown) => {
      if (isAway(error)) return read()
      throw error
    })
  } catch (cause) {
    if (!isAway(cause)) throw cause
    throw new Refusal('OUTCOME_UNKNOWN', `This was done, but cannot be shown now. To see it, ${howToRead}.`, { cause })
  }
}

function isAway(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof Refusal && error.code === 'UNAVAILABLE')
}
