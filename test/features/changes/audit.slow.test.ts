import { expect, test } from 'vitest'
import { startApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { audit } from '../../support/feed/audit.ts'
import { untilSettled } from '../../support/graphql/changes.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { people } from '../../support/graphql/publish.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

const first = Number(process.env.SEED ?? Date.now() % 100_000)

test.each(Array.from({ length: 3 }, (_, nth) => first + nth))(
  'mirrors that only the feed keeps are what the queries say, also while accounts are deleted, with the seed %i',
  async (seed) => {
    const app = await startApp()
    const [members, judge, reader] = [await people(app, 7), await moderator(app), await app.person()]
    const [leaver] = members.slice(-1)
    letTimePass()
    const size = { rounds: 10, steps: 5, mirrors: 4 }
    const { applied, compared } = await audit({
      seed,
      members,
      moderator: judge,
      reader,
      ...size,
      origin: () => app.origin,
      settle: () => untilSettled(app),
      during: async (round) => {
        if (round === 6 && leaver) await deleteSuspended(app, leaver)
      },
    })
    expect(applied).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(size.rounds * size.mirrors)
    await app.close()
  },
)
