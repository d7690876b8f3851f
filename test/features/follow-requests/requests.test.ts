import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, follows, maxFollowing } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import {
  answerRequest,
  privateAccount,
  removeFollower,
  requestsOf,
  setPrivate,
} from '../../support/graphql/follow-requests.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { people } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const toggle = async (who: Person, whom: Person) => outcomeOf(await toggleRelation(app, who, follows, whom.id))
const set = async (who: Person, whom: Person, wanted = true) =>
  outcomeOf(await setRelation(app, who, follows, whom.id, wanted))
const flags = async (viewer: Person, { id }: Person) => {
  const fields = 'isPrivate viewerHasRequested hasRequestedViewer viewerIsFollowing followerCount'
  return (await app.graphql(viewer.token, `query ($id: UUID!) { user(by: { uuid: $id }) { ${fields} } }`, { id })).data
}

test('following a private account asks it, and toggling or unfollowing withdraws that', async () => {
  const [ada, bob] = [await privateAccount(app, 'ada'), await app.person('bob')]
  const asked = { isPrivate: true, viewerHasRequested: true, viewerIsFollowing: false, followerCount: 0 }
  for (const [ask, withdraw] of [
    [() => toggle(bob, ada), () => toggle(bob, ada)],
    [() => set(bob, ada), () => set(bob, ada, false)],
  ] as const) {
    expect(await ask()).toBe('REQUESTED')
    expect(await flags(bob, ada)).toMatchObject({ user: asked })
    expect(await flags(ada, bob)).toMatchObject({ user: { isPrivate: false, hasRequestedViewer: true } })
    expect(await requestsOf(app, ada)).toEqual({ received: ['bob'], sent: [], followers: [] })
    expect(await requestsOf(app, bob)).toEqual({ received: [], sent: ['ada'], followers: [] })
    expect(await withdraw()).toBe('UNFOLLOWED')
    expect(await flags(bob, ada)).toMatchObject({ user: { ...asked, viewerHasRequested: false } })
    expect(await requestsOf(app, ada)).toMatchObject({ received: [] })
  }
  expect(await set(bob, ada)).toBe('REQUESTED')
  expect(await set(bob, ada)).toBe('REQUESTED')
  expect(await requestsOf(app, ada)).toMatchObject({ received: ['bob'] })
})

test('whoever follows an account that becomes private still does', async () => {
  const [ada, [bob, cyd]] = [await app.person(), await people(app, 2)]
  if (!bob || !cyd) throw new TypeError('There is nobody')
  expect(await set(bob, ada)).toBe('FOLLOWED')
  expect(await set(cyd, ada)).toBe('FOLLOWED')
  await setPrivate(app, ada)
  expect(await set(bob, ada)).toBe('FOLLOWED')
  expect(await toggle(bob, ada)).toBe('UNFOLLOWED')
  expect(await toggle(bob, ada)).toBe('REQUESTED')
  expect(await requestsOf(app, ada)).toMatchObject({ received: [bob.username], followers: [cyd.username] })
})

test('an accepted request becomes a follow in its place, and accepting is idempotent', async () => {
  const [ada, one, other] = [await privateAccount(app), ...(await people(app, 2))]
  if (!one || !other) throw new TypeError('There is nobody')
  for (const who of [one, other]) await set(who, ada)
  const { id } = await app.database.write.prisma.followRequest.findFirstOrThrow({ where: { requesterId: one.id } })
  for (const who of [other, one, one]) {
    const { data } = await answerRequest(app, ada, who)
    expect(data).toMatchObject({
      answerFollowRequest: { user: { hasRequestedViewer: false, followsViewer: true, followingCount: 1 } },
    })
  }
  expect(await requestsOf(app, ada)).toEqual({ received: [], sent: [], followers: [other.username, one.username] })
  expect(await app.database.write.prisma.follow.findUnique({ where: { id } })).toMatchObject({ followerId: one.id })
  expect(outcomeOf(await answerRequest(app, ada, one, false))).toBe('NOT_FOUND')
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a declined request is gone, and can be made again', async () => {
  const [ada, bob] = [await privateAccount(app), await app.person()]
  expect(outcomeOf(await answerRequest(app, ada, bob))).toBe('NOT_FOUND')
  await set(bob, ada)
  expect((await answerRequest(app, ada, bob, false)).data).toMatchObject({
    answerFollowRequest: { user: { hasRequestedViewer: false, followsViewer: false }, viewer: { followerCount: 0 } },
  })
  for (const accepted of [false, true])
    expect(outcomeOf(await answerRequest(app, ada, bob, accepted))).toBe('NOT_FOUND')
  expect(outcomeOf(await answerRequest(app, ada, ada))).toBe('NOT_FOUND')
  expect(await set(bob, ada)).toBe('REQUESTED')
})

test('a removed follower follows no more, and may ask again', async () => {
  const [ada, bob] = [await app.person(), await app.person()]
  await set(bob, ada)
  for (let time = 0; time < 2; time += 1)
    expect((await removeFollower(app, ada, bob)).data).toMatchObject({
      removeFollower: { user: { followsViewer: false, followingCount: 0 }, viewer: { followerCount: 0 } },
    })
  await setPrivate(app, ada)
  expect(await set(bob, ada)).toBe('REQUESTED')
  await removeFollower(app, ada, bob)
  expect(await requestsOf(app, ada)).toMatchObject({ received: [] })
  for (const nobody of [ada, { id: '019ab2c4-7d1e-7000-8000-0000000000b1' }])
    expect(outcomeOf(await removeFollower(app, ada, nobody))).toBe('NOT_FOUND')
  expect(await wrongCounters(app.database)).toEqual([])
})

test.each(['who asks', 'who is asked'])('a block by the account %s ends requests and forbids new ones', async (who) => {
  const [ada, bob] = [await privateAccount(app), await privateAccount(app)]
  await set(bob, ada)
  await set(ada, bob)
  const [blocker, blocked] = who === 'who asks' ? [bob, ada] : [ada, bob]
  await setRelation(app, blocker, blocks, blocked.id)
  for (const one of [ada, bob]) expect(await requestsOf(app, one)).toEqual({ received: [], sent: [], followers: [] })
  expect(await set(bob, ada)).toBe('FORBIDDEN')
  expect(outcomeOf(await answerRequest(app, ada, bob))).toBe('NOT_FOUND')
  await setRelation(app, blocker, blocks, blocked.id, false)
  for (const one of [ada, bob]) expect(await requestsOf(app, one)).toMatchObject({ received: [], sent: [] })
})

test('nobody sees the requests of others, and they require the scope to follow', async () => {
  const [ada, bob] = [await privateAccount(app), await app.person()]
  const document =
    'query ($id: UUID!) { user(by: { uuid: $id }) { followRequests { totalCount } sentFollowRequests { totalCount } } }'
  const { data } = await app.graphql(bob.token, document, { id: ada.id })
  expect(data).toEqual({ user: { followRequests: null, sentFollowRequests: null } })
  const reader = { ...ada, token: await app.token(ada, ['user.get']) }
  expect(outcomeOf(await app.graphql(reader.token, document, { id: ada.id }))).toBe('INSUFFICIENT_SCOPE')
  for (const refused of [answerRequest(app, reader, bob), removeFollower(app, reader, bob)])
    expect(outcomeOf(await refused)).toBe('INSUFFICIENT_SCOPE')
})

test('requests count towards the accounts that one may follow', async () => {
  const [ada, open, ...closed] = [
    await app.person(),
    await app.person(),
    ...(await Promise.all(Array.from({ length: 6 }, () => privateAccount(app)))),
  ]
  await app.database.write.prisma.$executeRaw`
    insert into users (id, username, display_name, email)
    select gen_random_uuid(), 'crowd_' || n, 'Crowd', 'crowd@example.org' from generate_series(1, ${maxFollowing - 2}) n`
  // Several statements, because each has a time limit.
  for (let made = 0; made < maxFollowing - 2; made += 2_000)
    await app.database.write.prisma.$executeRaw`
      insert into follow_requests (id, requester_id, requested_id)
      select gen_random_uuid(), ${ada.id}::uuid, id from users where username like 'crowd_%' order by id offset ${made} limit 2000`
  const asked = await outcomes(closed.map(({ id }) => setRelation(app, ada, follows, id)))
  expect(asked).toEqual({ REQUESTED: 2, CONFLICT: 4 })
  expect(await set(ada, open)).toBe('CONFLICT')
  const { requestedId } = await app.database.write.prisma.followRequest.findFirstOrThrow({
    where: { requesterId: ada.id, requested: { username: { not: { startsWith: 'crowd_' } } } },
  })
  const answering = closed.find(({ id }) => id === requestedId)
  if (!answering) throw new TypeError('Nobody was asked')
  expect(outcomeOf(await answerRequest(app, answering, ada))).toBe('DONE')
  expect(await set(ada, open)).toBe('CONFLICT')
  expect(await set(ada, answering, false)).toBe('UNFOLLOWED')
  expect(await set(ada, open)).toBe('FOLLOWED')
})
