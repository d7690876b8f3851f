import { invalid } from '../../engine/errors.ts'

/** The size of a network, and the seed that it is generated from. */
export type NetworkSize = {
  readonly users: number
  /** All publications; about two in five of them are replies. */
  readonly posts: number
  readonly likes: number
  readonly follows: number
  /** Any integer. The same seed gives the same texts and the same graph. */
  readonly seed: number
}

/** Options of seeding a database. */
export type SeedOptions = NetworkSize & {
  /** The newest publication is dated just before, everything else relative to it. */
  readonly now: Date
  /** Called after each batch with the number of rows inserted, of all rows, and the kind of the last ones. */
  readonly onProgress?: (done: number, total: number, what: string) => void
}

/** The demo network, with which the first start fills an embedded database. */
export const demoNetwork: NetworkSize = { users: 50, posts: 1_000, likes: 3_000, follows: 600, seed: 2021 }

const mostOfAnything = 5_000_000

/** The most accounts that a user follows, and the most likes of a publication. */
export function limitsOf(users: number) {
  return { follows: Math.min(300, Math.floor((users - 1) * 0.8)), likes: Math.floor((users - 1) * 0.7) }
}

/** The most likes and follows of so many users and posts. */
function mostOf({ users, posts }: Pick<NetworkSize, 'users' | 'posts'>) {
  const limits = limitsOf(users)
  // Close to the maximum, random distribution would hardly ever find the last free places.
  const possible = (count: number) => Math.min(mostOfAnything, Math.max(0, Math.floor(count * 0.7)))
  return { likes: possible(posts * limits.likes), follows: possible(users * limits.follows) }
}

/** Adds the numbers that are not given, in proportion to the demo network as far as that is possible. */
export function completeSize(given: Partial<NetworkSize>): NetworkSize {
  const demo = demoNetwork
  const users = given.users ?? Math.max(1, Math.round(((given.posts ?? demo.posts) * demo.users) / demo.posts))
  const posts = given.posts ?? Math.min(mostOfAnything, Math.round((users * demo.posts) / demo.users))
  const most = mostOf({ users, posts })
  return {
    users,
    posts,
    likes: given.likes ?? Math.min(most.likes, Math.round((posts * demo.likes) / demo.posts)),
    follows: given.follows ?? Math.min(most.follows, Math.round((users * demo.follows) / demo.users)),
    seed: given.seed ?? demo.seed,
  }
}

/** Throws `VALIDATION_FAILED` for sizes that are not counts, are too large, or are impossible with so few users. */
export function checkSize({ users, posts, likes, follows, seed }: NetworkSize): void {
  const most = mostOf({ users, posts })
  const bounds = [
    ['users', users, 1, mostOfAnything],
    ['posts', posts, 0, mostOfAnything],
    ['likes', likes, 0, most.likes],
    ['follows', follows, 0, most.follows],
    ['seed', seed, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ] as const
  const [first, ...others] = bounds
    .filter(([, value, least, most]) => !(Number.isInteger(value) && value >= least && value <= most))
    .map(([field, , least, most]) => ({ field, message: `must be an integer from ${least} to ${most} here` }))
  if (first !== undefined) throw invalid(first, ...others)
}
