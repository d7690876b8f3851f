import type { Sql } from './sql.ts'

/** How many rows a page has by default and at most. */
export const pageSize = { default: 20, max: 100 } as const

/** How many rows `offset` skips at most. Numbered pages end at this row. */
export const maxOffset = 100_000

/** How many rows a page looks at, of those that it may not show, besides what `offset` skips: less where a response has many pages. */
export const maxScan = 1_000
export const maxScanInLists = 100

/** The maximum size of a response, in bytes of JSON. */
export const maxResponseBytes = 1_048_576

/** The most that resolvers may read, because GraphQL.js completes their result in one step, during which nothing else is served. */
export const maxResolvedBytes = 262_144

/**
 * The most that a cheap statement may return, because many of them are held at the same time. A larger result is read again, by a
 * statement of its own.
 */
export const maxCheapBytes = 65_536

/** How many characters the SQL of an operation has at most. PostgreSQL takes about a microsecond to plan each. */
const maxSqlLength = 80_000

/** What is wrong with an argument. */
export type ArgumentError = { readonly field: string; readonly message: string }

/** An operation that exceeds a limit, or has invalid arguments, which `errors` name. Its message is for the client. */
export class InvalidOperation extends Error {
  override readonly name = 'InvalidOperation'
  readonly errors: readonly ArgumentError[]

  constructor(message: string, errors: readonly ArgumentError[] = []) {
    super(message)
    this.errors = errors
  }
}

/** The error of a response, or of a part that resolvers read, that is too large. */
export function tooLarge(bytes: number, limit = maxResponseBytes): InvalidOperation {
  const what = limit === maxResponseBytes ? 'A response' : 'The result of resolvers'
  const message = `${what} has at most ${limit} bytes; this one has ${bytes}. Select fewer fields, or request smaller pages.`
  return new InvalidOperation(message)
}

/** Limits the SQL of one operation in size. */
export class SqlSize {
  #left: number

  /** `used` is the length of other SQL of the operation. */
  constructor(used = 0) {
    this.#left = maxSqlLength - used
  }

  /** Compiles a part, in which other parts may be nested. Throws `InvalidOperation` when the SQL gets too long. */
  within<Part extends Sql | undefined>(compile: () => Part): Part {
    const before = this.#left
    const part = compile()
    this.#left = before - (part?.length ?? 0)
    if (this.#left >= 0) return part
    throw new InvalidOperation('This operation is too large. Select fewer fields.')
  }
}
