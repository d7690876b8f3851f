import { afterAll, beforeAll, expect, test } from 'vitest'
import { blocks, follows } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { answerRequest, privateAccount, removeFollower, setPrivate } from '../../support/graphql/follow-requests.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { people } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const ask = (who: Person, whom: Person, wanted = true) => setRelation(app, who, follows, whom.id, wanted)
const rename = (who: Person, round: number) =>
  mutate(app, who, 'updateProfile', { username: `r${round}_${who.username}`.slice(0, 30) }, 'viewer { uuid }')

/** How an account follows another one, and whether it asks to. */
async function stateOf(follower: Person, followed: Person) {
  const { prisma } = app.database.write
  const follow = { followerId: follower.id, followeeId: followed.id }
  const request = { requesterId: follower.id, requestedId: followed.id }
  return {
    follows: await prisma.follow.count({ where: follow }),
    asks: await prisma.followRequest.count({ where: request }),
  }
}

async function expectSound(before: unknown): Promise<void> {
  expect(await wrongCounters(app.database)).toEqual([])
  expect(await deadlocks(app.database)).toEqual(before)
}

// Requests of accounts whose ids come before and after that of the private one.
const rounds = Array.from({ length: 4 }, (_, round) => round)

test('accepting, declining, withdrawing, blocking, opening and renaming at once leave exact counters', async () => {
  const before = await deadlocks(app.database)
  const expected = /^(?:DONE|NOT_FOUND|REQUESTED|FOLLOWED|UNFOLLOWED|BLOCKED|UNBLOCKED|FORBIDDEN|CONFLICT)$/
  for (const round of rounds) {
    const earlier = await people(app, 2)
    const ada = await privateAccount(app)
    const crowd = [...earlier, ...(await people(app, 2))]
    for (const who of crowd) await ask(who, ada)
    const [first, second] = crowd
    if (!first || !second) throw new TypeError('There is nobody')
    const answers = await Promise.all([
      ...crowd.flatMap((who) => [
        answerRequest(app, ada, who),
        answerRequest(app, ada, who, false),
        ask(who, ada, false),
        toggleRelation(app, who, follows, ada.id),
        rename(who, round),
      ]),
      setRelation(app, first, blocks, ada.id),
      setRelation(app, ada, blocks, second.id),
      removeFollower(app, ada, first),
      setPrivate(app, ada, false),
      setPrivate(app, ada),
      rename(ada, round),
    ])
    for (const outcome of answers.map(outcomeOf)) expect(outcome).toMatch(expected)
    await expectSound(before)
  }
})

test('a request that is accepted beside being withdrawn ends one way', async () => {
  const before = await deadlocks(app.database)
  for (const _ of rounds) {
    const earlier = await app.person()
    const ada = await privateAccount(app)
    const later = await app.person()
    for (const who of [earlier, later]) {
      await ask(who, ada)
      const [accepted, ...withdrawn] = (
        await Promise.all([answerRequest(app, ada, who), ask(who, ada, false), ask(who, ada, false)])
      ).map(outcomeOf)
      expect(accepted).toMatch(/^(?:DONE|NOT_FOUND)$/)
      expect(withdrawn).toEqual(['UNFOLLOWED', 'UNFOLLOWED'])
      expect(await stateOf(who, ada)).toEqual({ follows: 0, asks: 0 })
    }
  }
  await expectSound(before)
})

test('an account that is opened while others ask is followed by all of them', async () => {
  const before = await deadlocks(app.database)
  for (const _ of rounds) {
    const earlier = await people(app, 3)
    const ada = await privateAccount(app)
    const crowd = [...earlier, ...(await people(app, 3))]
    const answers = await Promise.all([...crowd.map((who) => ask(who, ada)), setPrivate(app, ada, false)])
    for (const outcome of answers.map(outcomeOf)) expect(outcome).toMatch(/^(?:DONE|REQUESTED|FOLLOWED)$/)
    // Whoever asked between its first two statements is accepted by a job.
    await setPrivate(app, ada, false)
    for (const who of crowd) expect(await stateOf(who, ada)).toEqual({ follows: 1, asks: 0 })
  }
  await expectSound(before)
})

test('becoming private beside follows makes each of them either a follow or a request', async () => {
  const before = await deadlocks(app.database)
  const ada = await app.person()
  const crowd = await people(app, 8)
  const answers = await Promise.all([...crowd.map((who) => ask(who, ada)), setPrivate(app, ada), setPrivate(app, ada)])
  const { FOLLOWED = 0, REQUESTED = 0, DONE } = tally(answers.map(outcomeOf))
  expect([FOLLOWED + REQUESTED, DONE]).toEqual([8, 2])
  const { prisma } = app.database.write
  expect(await prisma.follow.count({ where: { followeeId: ada.id } })).toBe(FOLLOWED)
  expect(await prisma.followRequest.count({ where: { requestedId: ada.id } })).toBe(REQUESTED)
  expect(await prisma.change.count({ where: { kind: 'RESTRICTED', userId: ada.id } })).toBe(1)
  await expectSound(before)
})

test('an account that is erased beside requests and answers leaves none', async () => {
  const before = await deadlocks(app.database)
  const { prisma } = app.database.write
  const earlier = await privateAccount(app)
  const ada = await privateAccount(app)
  const later = await privateAccount(app)
  for (const other of [earlier, later]) {
    await ask(ada, other)
    await ask(other, ada)
  }
  await Promise.all([
    deleteSuspended(app, ada),
    ...[earlier, later].flatMap((other) => [
      answerRequest(app, other, ada),
      ask(other, ada, false),
      ask(other, ada),
      setPrivate(app, other, false),
    ]),
  ])
  const either = { OR: [{ requesterId: ada.id }, { requestedId: ada.id }] }
  expect(await prisma.followRequest.count({ where: either })).toBe(0)
  expect(await prisma.user.count({ where: { id: ada.id } })).toBe(0)
  await expectSound(before)
})
