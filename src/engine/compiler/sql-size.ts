import { Refusal } from '../errors.ts'
import type { Sql } from './sql.ts'

/** How many characters the SQL of an operation has at most. PostgreSQL takes about a microsecond to plan each. */
const maxSqlLength = 80_000

/** Limits the SQL of one operation in size. */
export class SqlSize {
  #left: number

  /** `used` is the length of other SQL of the operation. */
  constructor(used = 0) {
    this.#left = maxSqlLength - used
  }

  /** Compiles a part, in which other parts may be nested. Throws `VALIDATION_FAILED` when the SQL gets too long. */
  within<Part extends Sql | undefined>(compile: () => Part): Part {
    const before = this.#left
    const part = compile()
    this.#left = before - (part?.length ?? 0)
    if (this.#left >= 0) return part
    throw new Refusal('VALIDATION_FAILED', 'This operation is too large. Select fewer fields.')
  }
}
