import { firstPeople } from './people-list.ts'
import type { NetworkSize } from './seed-options.ts'

/** A user of a large network who follows an exact number of accounts, to measure their timeline. */
export type Reader = {
  /** Index of the user, from 0. */
  readonly index: number
  readonly username: string
  readonly follows: number
  /** Whether those accounts have published nothing for long. */
  readonly quiet: boolean
}

const perKind = 3
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

/** The readers of a network: three of each kind, if it is large enough. `reads_1000_1` follows 1,000 accounts. */
export function readersOf({ users, follows }: Pick<NetworkSize, 'users' | 'follows'>): Reader[] {
  if (users < 1_000) return []
  const fitting = kinds.filter(
    (kind) =>
      (kind.quiet ? quietUsers(users) > 0 : kind.follows <= users / 2) && kind.follows * perKind <= follows / 20,
  )
  return fitting.flatMap((kind, place) =>
    Array.from({ length: perKind }, (_, nth) => ({
      ...kind,
      index: firstPeople.length + place * perKind + nth,
      username: `reads_${kind.quiet ? 'quiet_' : ''}${kind.follows}_${nth + 1}`,
    })),
  )
}
