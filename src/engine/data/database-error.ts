import { isConflict } from './unavailable.ts'

/**
 * A database that cannot be opened: unreachable, in use by another process, or not usable.
 * The message is for the operator, names the configuration variable, and never contains a password.
 */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError'
  /** The message without the advice. */
  readonly problem: string
  /** What the operator can do about it. */
  readonly advice: string | undefined

  constructor(problem: string, { advice, cause }: { advice?: string | undefined; cause?: unknown } = {}) {
    super(advice === undefined ? problem : `${problem} ${advice}`, { cause })
    this.problem = problem
    this.advice = advice
  }
}

/** A database that another process uses. */
export class DatabaseInUse extends DatabaseError {
  override readonly name = 'DatabaseInUse'
}

/** The message of an error for the operator. */
export function messageOf(error: unknown): string {
  // A host name with several addresses gives an error for each of them, and an empty message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** A migration that failed, or a migration history that does not match this version. Nothing was changed. */
export class MigrationError extends DatabaseError {
  override readonly name = 'MigrationError'
}

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
