import { type NetworkSize, quietUsers } from './seed-options.ts'
import { people } from './texts.ts'

/**
 * The users of a large network, by index, who follow an exact number of accounts, to measure their timelines: three of each kind, if
 * the network is large enough. `reads_1000_1` follows 1,000 accounts, `reads_quiet_400_1` only such as have been quiet for long.
 */
export function readersOf({ users, follows }: Pick<NetworkSize, 'users' | 'follows'>) {
  const kinds = [10, 100, 1_000, 5_000, 400].map((count, place) => ({ follows: count, quiet: place === 4 }))
  const fitting = kinds.filter(({ follows: each, quiet }) => {
    return users >= 1_000 && (quiet ? quietUsers(users) > 0 : each <= users / 2) && each * 3 <= follows / 20
  })
  return fitting.flatMap((kind, place) =>
    [1, 2, 3].map((nth) => ({
      ...kind,
      index: people.first.length + place * 3 + nth - 1,
      username: `reads_${kind.quiet ? 'quiet_' : ''}${kind.follows}_${nth}`,
    })),
  )
}
