import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from '../../../src/engine/data/ids.ts'
import { acceptRemainingRequests } from '../../../src/features/accounts/privacy.ts'
import { follows } from '../../../src/features/base/relations.ts'
import { setCounters } from '../../../src/features/demo/seed.ts'
import { importRelations } from '../../../src/features/transfer/import-relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { privateAccount, requestsOf, setPrivate } from '../../support/graphql/follow-requests.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { inShort, readAll } from '../../support/graphql/notifications.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { people } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const ask = (who: Person, whom: Person, wanted = true) => setRelation(app, who, follows, whom.id, wanted)
const profile = z.object({
  updateProfile: z.object({
    viewer: z.object({
      isPrivate: z.boolean(),
      followerCount: z.number(),
      editedAt: z.string().nullable(),
      version: z.string(),
    }),
  }),
})
const viewerIn = ({ data }: { data: unknown }) => profile.parse(data).updateProfile.viewer

test('an account becomes private and open with its other changes, which is an edit', async () => {
  const ada = await app.person()
  const fields = 'viewer { isPrivate followerCount editedAt version }'
  const first = viewerIn(await mutate(app, ada, 'updateProfile', { bio: 'Numbers' }, fields))
  expect(first.isPrivate).toBe(false)
  const second = viewerIn(await mutate(app, ada, 'updateProfile', { isPrivate: true, bio: 'Weaving' }, fields))
  expect(second.isPrivate).toBe(true)
  expect([second.editedAt, second.version]).not.toEqual([first.editedAt, first.version])
  expect(viewerIn(await setPrivate(app, ada))).toEqual(second)
  const stale = { isPrivate: false, ifUnchangedSince: first.editedAt }
  expect(outcomeOf(await mutate(app, ada, 'updateProfile', stale, fields))).toBe('PRECONDITION_FAILED')
  const current = { isPrivate: false, ifUnchangedSince: second.editedAt }
  const third = viewerIn(await mutate(app, ada, 'updateProfile', current, fields))
  expect(third.isPrivate).toBe(false)
  expect([third.editedAt, third.version]).not.toEqual([second.editedAt, second.version])
  expect(outcomeOf(await mutate(app, ada, 'updateProfile', { isPrivate: null }, fields))).toBe('VALIDATION_FAILED')
  const taken = { isPrivate: true, username: (await app.person()).username }
  expect(outcomeOf(await mutate(app, ada, 'updateProfile', taken, fields))).toBe('CONFLICT')
  expect(await app.database.write.prisma.privateAccount.count({ where: { userId: ada.id } })).toBe(0)
})

test('everybody learns that an account became private or open', async () => {
  const [ada, bob] = [await app.person('ada'), await app.person('bob')]
  const before = await settledCursor(app, bob)
  for (const isPrivate of [true, true, false, false]) await setPrivate(app, ada, isPrivate)
  for (const of of [{ home: true }, { public: true }, { users: [bob.id] }]) {
    const found = await changesAfter(app, bob, of, before)
    expect(found.map(({ kind, uuid, user }) => [kind, uuid, user?.username])).toEqual([
      ['RESTRICTED', ada.id, 'ada'],
      ['ACCOUNT_SHOWN', ada.id, 'ada'],
    ])
  }
  const own = (await changesAfter(app, ada, { home: true }, before)).map(({ kind }) => kind)
  expect(own.filter((kind) => kind === 'PROFILE_EDITED')).toHaveLength(2)
})

test('opening an account accepts all requests at once', async () => {
  const [ada, cyd, dan] = [await privateAccount(app), await app.person(), await app.person()]
  await ask(cyd, ada)
  await ask(dan, ada)
  const before = await settledCursor(app, dan)
  expect(viewerIn(await setPrivate(app, ada, false))).toMatchObject({ isPrivate: false, followerCount: 2 })
  expect(await requestsOf(app, ada)).toEqual({ received: [], sent: [], followers: [dan.username, cyd.username] })
  expect(await changesAfter(app, dan, { home: true, kinds: ['FOLLOWED'] }, before)).toMatchObject([
    { kind: 'FOLLOWED', actorUuid: dan.id, uuid: ada.id },
  ])
  expect(await inShort(app, ada)).toEqual([])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a job accepts what opening an account with many requests leaves', async () => {
  const { prisma } = app.database.write
  const ada = await privateAccount(app)
  const crowd = Array.from({ length: 250 }, (_, index) => {
    const id = newId()
    return { id, username: `many_${index}`, displayName: 'Many', email: 'many@example.org' }
  })
  await prisma.user.createMany({ data: crowd })
  await prisma.followRequest.createMany({
    data: crowd.map(({ id }) => ({ id: newId(), requesterId: id, requestedId: ada.id })),
  })
  expect(viewerIn(await setPrivate(app, ada, false))).toMatchObject({ isPrivate: false, followerCount: 100 })
  expect(await prisma.job.findMany({ where: { kind: 'accept-follow-requests' } })).toMatchObject([{ key: ada.id }])
  expect(await acceptRemainingRequests(app.database, ada.id)).toBe(0)
  await setPrivate(app, ada)
  expect(await acceptRemainingRequests(app.database, ada.id)).toBeUndefined()
  expect(await prisma.followRequest.count({ where: { requestedId: ada.id } })).toBe(50)
  await setPrivate(app, ada, false)
  expect(await acceptRemainingRequests(app.database, ada.id)).toBeUndefined()
  expect((await prisma.user.findUniqueOrThrow({ where: { id: ada.id } })).followerCount).toBe(250)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a request that is left when its account is open can still be withdrawn, answered, or become a follow', async () => {
  const { prisma } = app.database.write
  const [ada, one, other, third] = [await privateAccount(app), ...(await people(app, 3))]
  if (!one || !other || !third) throw new TypeError('There is nobody')
  for (const who of [one, other, third]) await ask(who, ada)
  await prisma.privateAccount.deleteMany({ where: { userId: ada.id } })
  expect(outcomeOf(await ask(one, ada))).toBe('FOLLOWED')
  expect(outcomeOf(await ask(other, ada, false))).toBe('UNFOLLOWED')
  const answer = { uuid: third.id, accepted: true }
  expect(outcomeOf(await mutate(app, ada, 'answerFollowRequest', answer, 'user { uuid }'))).toBe('DONE')
  expect(await requestsOf(app, ada)).toMatchObject({ received: [], followers: [one.username, third.username] })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('an id of a request that an imported follow has taken meanwhile does not matter', async () => {
  const { prisma } = app.database.write
  const [ada, bob, cyd] = [await privateAccount(app), await app.person(), await app.person()]
  await ask(bob, ada)
  const { id } = await prisma.followRequest.findFirstOrThrow({ where: { requesterId: bob.id } })
  await prisma.follow.create({ data: { id, followerId: cyd.id, followeeId: bob.id } })
  await setCounters(prisma)
  expect(viewerIn(await setPrivate(app, ada, false)).followerCount).toBe(1)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a request notifies the account until it is withdrawn or answered', async () => {
  const ada = await privateAccount(app)
  const [bob, cyd, dan] = [await app.person('bob_asks'), await app.person('cyd_asks'), await app.person('dan_asks')]
  const before = await settledCursor(app, ada)
  for (const who of [bob, cyd, dan]) await ask(who, ada)
  expect(await inShort(app, ada)).toEqual(['new FOLLOW_REQUEST 3 dan cyd bob'])
  await ask(dan, ada, false)
  expect(await inShort(app, ada)).toEqual(['new FOLLOW_REQUEST 2 cyd bob'])
  await readAll(app, ada)
  expect(await inShort(app, ada)).toEqual(['FOLLOW_REQUEST 2 cyd bob'])
  for (const [who, accepted] of [
    [bob, true],
    [cyd, false],
  ] as const)
    await mutate(app, ada, 'answerFollowRequest', { uuid: who.id, accepted }, 'user { uuid }')
  expect(await inShort(app, ada)).toEqual([])
  const told = await changesAfter(app, ada, { notifications: true }, before)
  const asked = [bob, cyd, dan].map(({ id }) => ({ kind: 'NOTIFIED', actorUuid: id, uuid: ada.id }))
  // That it was taken back does not tell by whom.
  const gone = Array(4).fill({ kind: 'NOTIFIED', actorUuid: ada.id, uuid: ada.id })
  expect(told).toMatchObject([...asked, ...gone])
  for (const who of [bob, cyd, dan]) expect(await inShort(app, who)).toEqual([])
})

test('requests and privacy end with the account', async () => {
  const { prisma } = app.database.write
  const [ada, bob] = [await privateAccount(app), await privateAccount(app)]
  await ask(ada, bob)
  await ask(bob, ada)
  expect(await deleteSuspended(app, ada)).toMatchObject({ follows: 0 })
  expect(await requestsOf(app, bob)).toEqual({ received: [], sent: [], followers: [] })
  expect(await prisma.privateAccount.count({ where: { userId: ada.id } })).toBe(0)
  expect(await inShort(app, bob)).toEqual([])
})

test('an import asks private accounts, and takes no id of a request', async () => {
  const { prisma } = app.database.write
  const [ada, bob, cyd] = [await privateAccount(app), await app.person(), await app.person()]
  await ask(bob, ada)
  const { id } = await prisma.followRequest.findFirstOrThrow({ where: { requesterId: bob.id } })
  const lineTo = ({ id: uuid, username }: Person) =>
    ({ type: 'follow', cursor: '', id, user: { uuid, username } }) as const
  const importOf = (who: Person, whom: Person) =>
    prisma.$transaction((transaction) => importRelations(transaction, who.id, [lineTo(whom)]))
  expect(await importOf(cyd, ada)).toEqual([{ isImported: true }])
  expect(await importOf(cyd, ada)).toEqual([{ isKnown: true }])
  expect(await importOf(cyd, bob)).toEqual([{ isImported: true }])
  expect(await requestsOf(app, ada)).toMatchObject({ received: expect.arrayContaining([cyd.username, bob.username]) })
  expect(await requestsOf(app, bob)).toMatchObject({ followers: [cyd.username] })
  expect(await prisma.follow.count({ where: { id } })).toBe(0)
  expect(await inShort(app, ada)).toHaveLength(1)
})
