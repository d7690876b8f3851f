import { isConflict } from './unavailable.ts'

/** The maximum number of attempts. */
const attempts = 3

/** Runs one statement or one transaction, again if it fails because of another one. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
  }
}
