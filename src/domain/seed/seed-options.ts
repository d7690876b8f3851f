import { type FieldError, invalid } from '../../errors.ts'

/** How large a network is, and the seed that it is made from. */
export type NetworkSize = {
  readonly users: number
  /** All publications; about two in five of them are replies. */
  readonly posts: number
  readonly likes: number
  readonly follows: number
  /** Any integer. The same one gives the same texts and the same graph. */
  readonly seed: number
}

/** What to seed a database with. */
export type SeedOptions = NetworkSize & {
  /** The newest publication is from just before; everything else is dated relative to it. */
  readonly now: Date
  /** Is told after each batch how many of all rows are in, and of which kind the last ones were. */
  readonly onProgress?: (done: number, total: number, what: string) => void
}

/** The network that a first start with an embedded database is filled with. */
export const demoNetwork: NetworkSize = { users: 50, posts: 1_000, likes: 3_000, follows: 600, seed: 2021 }

const mostOfAnything = 5_000_000

/** How many accounts an ordinary user follows at most; some readers follow more (see `readersOf`). */
export function mostFollows(users: number): number {
  return Math.min(300, Math.floor((users - 1) * 0.8))
}

/** How many likes a publication has at most. */
export function mostLikes(users: number): number {
  return Math.floor((users - 1) * 0.7)
}

/** Throws `VALIDATION_FAILED` for sizes that are no counts, are too large, or that so few users cannot reach. */
export function checkSize({ users, posts, likes, follows, seed }: NetworkSize): void {
  const errors: FieldError[] = []
  const check = (field: string, value: number, least: number, most: number): void => {
    if (Number.isInteger(value) && value >= least && value <= most) return
    errors.push({ field, message: `must be an integer from ${least} to ${most} here` })
  }
  check('users', users, 1, mostOfAnything)
  check('posts', posts, 0, mostOfAnything)
  // Near the very limit, dealing the last ones out at random would take for ever.
  check('likes', likes, 0, Math.min(mostOfAnything, Math.max(0, Math.floor(posts * mostLikes(users) * 0.7))))
  check('follows', follows, 0, Math.min(mostOfAnything, Math.max(0, Math.floor(users * mostFollows(users) * 0.7))))
  check('seed', seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  const [first, ...others] = errors
  if (first !== undefined) throw invalid(first, ...others)
}
