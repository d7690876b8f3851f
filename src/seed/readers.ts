import type { NetworkSize } from './seed-options.ts'
import { people } from './texts.ts'

const perKind = 3
/** How many accounts a reader follows, and whether those have published nothing for long. */
const kinds = [
  { follows: 10, quiet: false },
  { follows: 100, quiet: false },
  { follows: 1_000, quiet: false },
  { follows: 5_000, quiet: false },
  { follows: 400, quiet: true },
] as const

/** How many of the last users have published nothing for long: one in twenty of a large network. */
export function quietUsers(users: number): number {
  return users >= 8_000 ? Math.floor(users / 20) : 0
}

/**
 * The users of a large network, by index, who follow an exact number of accounts, to measure their timelines: three of each kind, if
 * the network is large enough. `reads_1000_1` follows 1,000 accounts.
 */
export function readersOf({ users, follows }: Pick<NetworkSize, 'users' | 'follows'>) {
  const fits = (kind: (typeof kinds)[number]) =>
    (kind.quiet ? quietUsers(users) > 0 : kind.follows <= users / 2) && kind.follows * perKind <= follows / 20
  const fitting = users < 1_000 ? [] : kinds.filter(fits)
  return fitting.flatMap((kind, place) =>
    Array.from({ length: perKind }, (_, nth) => ({
      ...kind,
      index: people.first.length + place * perKind + nth,
      username: `reads_${kind.quiet ? 'quiet_' : ''}${kind.follows}_${nth + 1}`,
    })),
  )
}
