import { expect, test, vi } from 'vitest'
import { startApp } from '../../support/app.ts'
import { audit } from '../../support/feed/audit.ts'
import { Mirror } from '../../support/feed/mirror.ts'
import { World } from '../../support/feed/world.ts'
import { untilSettled } from '../../support/graphql/changes.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { people } from '../../support/graphql/publish.ts'

// The seed, which a failure names, can be set.
const seed = Number(process.env.SEED ?? Date.now() % 100_000)

test('mirrors that only the feed keeps are what the queries say, whoever follows which sources', async () => {
  const app = await startApp()
  const [members, judge, reader] = [await people(app, 5), await moderator(app), await app.person()]
  const cast = { members, moderator: judge, reader }
  const size = { rounds: 4, steps: 4, mirrors: 1 }
  const { applied, compared } = await audit({
    seed,
    ...cast,
    ...size,
    origin: () => app.origin,
    settle: () => untilSettled(app),
  })
  expect(applied).toBeGreaterThan(0)
  expect(compared).toBeGreaterThan(size.rounds * size.mirrors)
  await app.close()
})

test('mirrors have what is written while they are read', async () => {
  const app = await startApp()
  const [members, judge, reader] = [await people(app, 1), await moderator(app), await app.person()]
  const origin = () => app.origin
  const world = new World(members, judge, origin, () => undefined)
  const [member = reader] = members
  await world.publish(member, 'Post')
  const [post] = world.written
  await untilSettled(app)
  const mirror = new Mirror(world, reader, { threads: [post?.uuid ?? ''] }, origin)
  const ask = fetch
  const asking = vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...request) => {
    await world.publish(member, 'Reply', post)
    await untilSettled(app)
    return ask(...request)
  })
  await mirror.catchUp(10)
  asking.mockRestore()
  expect(mirror.isCurrent).toBe(true)
  expect(await mirror.differences()).toEqual([])
  await app.close()
})
