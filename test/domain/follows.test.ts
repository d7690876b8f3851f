import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { outcomeOf, outcomes, tally } from '../support/outcomes.ts'
import { people } from '../support/publish.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const toggle = ({ token }: Person, { id: uuid }: Person) =>
  app.graphql(token, 'mutation ($uuid: UUID!) { toggleFollow(input: { uuid: $uuid }) { action } }', { uuid })
const set = ({ token }: Person, { id: uuid }: Person, followed: boolean) =>
  app.graphql(
    token,
    'mutation ($input: SetFollowInput!) { setFollow(input: $input) { action user { viewerIsFollowing } } }',
    { input: { uuid, followed } },
  )
const read = async ({ token }: Person, { id: uuid }: Person) => {
  const document =
    'query ($uuid: UUID!) { user(by: { uuid: $uuid }) { followerCount followingCount viewerIsFollowing } }'
  return (await app.graphql(token, document, { uuid })).data
}
const user = (followerCount: number, followingCount: number, viewerIsFollowing: boolean) => ({
  user: { followerCount, followingCount, viewerIsFollowing },
})
const times = <T>(count: number, action: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => action(index))

test('fifty concurrent follows give fifty followers', async () => {
  const [ada, crowd] = [await app.person(), await people(app, 50)]
  expect(await outcomes(crowd.map((follower) => toggle(follower, ada)))).toEqual({ FOLLOWED: 50 })
  expect(await read(ada, ada)).toEqual(user(50, 0, false))
  for (const follower of crowd.slice(0, 3)) {
    expect(await read(follower, ada)).toEqual(user(50, 0, true))
    expect(await read(follower, follower)).toEqual(user(0, 1, false))
  }
  expect(await wrongCounters(app.database)).toEqual([])
})

test('51 concurrent toggles of one viewer give 26 follows and 25 unfollows, ending with a follow', async () => {
  const [ada, grace] = [await app.person(), await app.person()]
  expect(await outcomes(times(51, () => toggle(grace, ada)))).toEqual({ FOLLOWED: 26, UNFOLLOWED: 25 })
  expect(await read(grace, ada)).toEqual(user(1, 0, true))
  expect(await read(grace, grace)).toEqual(user(0, 1, false))
  expect(await wrongCounters(app.database)).toEqual([])
})

test('both APIs toggle the same state', async () => {
  const [ada, grace] = [await app.person(), await app.person()]
  const rest = (path: string) => async () => {
    const response = await app.rest(grace.token, 'POST', path)
    return z.strictObject({ action: z.string(), uuid: z.literal(ada.id) }).parse(await response.json()).action
  }
  const ways = [
    async () => outcomeOf(await toggle(grace, ada)),
    rest(`/user/${ada.id}/follow`),
    rest(`/user/@${ada.username}/follow`),
  ]
  const actions = await Promise.all(ways.flatMap((way) => times(17, way)))
  expect(tally(actions.map((action) => action.toUpperCase()))).toEqual({ FOLLOWED: 26, UNFOLLOWED: 25 })
  expect(await read(grace, ada)).toEqual(user(1, 0, true))
})

test('setting a follow is idempotent, even concurrently', async () => {
  const [ada, grace] = [await app.person(), await app.person()]
  for (const [followed, action, count] of [
    [false, 'UNFOLLOWED', 0],
    [true, 'FOLLOWED', 1],
    [false, 'UNFOLLOWED', 0],
  ] as const) {
    const answers = await Promise.all(times(20, () => set(grace, ada, followed)))
    for (const { data } of answers)
      expect(data).toEqual({ setFollow: { action, user: { viewerIsFollowing: followed } } })
    expect(await read(grace, ada)).toEqual(user(count, 0, followed))
    expect(await read(ada, grace)).toEqual(user(0, count, false))
  }
  expect(await wrongCounters(app.database)).toEqual([])
})

test('users who follow each other concurrently do not deadlock', async () => {
  const circle = await people(app, 10)
  const pairs = circle.flatMap((one) => circle.filter((other) => other !== one).map((other) => [one, other] as const))
  expect(await outcomes(pairs.map(([one, other]) => toggle(one, other)))).toEqual({ FOLLOWED: 90 })
  for (const one of circle) expect(await read(one, one)).toEqual(user(9, 9, false))
  const mixed = pairs.map(([one, other], index) => (index % 2 === 0 ? toggle(one, other) : set(one, other, true)))
  expect(await outcomes(mixed)).toEqual({ FOLLOWED: 45, UNFOLLOWED: 45 })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('two users who toggle each other concurrently do not deadlock', async () => {
  const [ada, grace] = [await app.person(), await app.person()]
  const both = times(50, (index) => (index % 2 === 0 ? toggle(ada, grace) : toggle(grace, ada)))
  expect(await outcomes(both)).toEqual({ FOLLOWED: 26, UNFOLLOWED: 24 })
  expect(await read(ada, grace)).toEqual(user(1, 1, true))
  expect(await wrongCounters(app.database)).toEqual([])
})

test('users cannot follow themselves', async () => {
  const ada = await app.person()
  const refused = { code: 'VALIDATION_FAILED', errors: [{ field: 'uuid', message: expect.any(String) }] }
  for (const answer of [await toggle(ada, ada), await set(ada, ada, true), await set(ada, ada, false)])
    expect(answer.errors).toMatchObject([{ extensions: refused }])
  const response = await app.rest(ada.token, 'POST', `/user/${ada.id}/follow`)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject(refused)
  expect(await read(ada, ada)).toEqual(user(0, 0, false))
})

test('a user who does not exist is not found', async () => {
  const ada = await app.person()
  const nobody = { ...ada, id: '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50' }
  expect(outcomeOf(await toggle(ada, nobody))).toBe('NOT_FOUND')
  expect(outcomeOf(await set(ada, nobody, true))).toBe('NOT_FOUND')
  expect(await read(ada, ada)).toEqual(user(0, 0, false))
})
