/**
 * A database that cannot be opened: out of reach, in use by another process, or not of a shape that can be served.
 * Its message is for whoever runs the server, names the variable at fault, and never has a password in it.
 */
export class DatabaseError extends Error {
  override readonly name: string = 'DatabaseError'
  /** The message without the advice. */
  readonly problem: string
  /** What whoever runs the server can do about it. */
  readonly advice: string | undefined

  constructor(problem: string, { advice, cause }: { advice?: string | undefined; cause?: unknown } = {}) {
    super(advice === undefined ? problem : `${problem} ${advice}`, { cause })
    this.problem = problem
    this.advice = advice
  }
}

/** A database whose migration history does not fit this version, or a migration that failed. Nothing was changed. */
export class MigrationError extends DatabaseError {
  override readonly name = 'MigrationError'
}
