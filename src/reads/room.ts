import { Refusal } from '../errors.ts'
import type { Sql } from './read.ts'

/** How many characters the SQL of an operation has at most. Planning takes PostgreSQL about a microsecond for each. */
export const maxCharacters = 65_536

/** The room for the SQL of one operation. */
export class Room {
  #left = maxCharacters

  /** Composes a part, in which other parts may be nested. Throws `VALIDATION_FAILED` when there is no room for it. */
  within<Part extends Sql | undefined>(compose: () => Part): Part {
    const before = this.#left
    const part = compose()
    this.#left = before - (part?.length ?? 0)
    if (this.#left >= 0) return part
    throw new Refusal(
      'VALIDATION_FAILED',
      `The SQL of an operation has at most ${maxCharacters} characters; fields of an interface count for each type that is asked for something else. Ask for less at once.`,
    )
  }
}
