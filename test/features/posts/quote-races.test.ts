import { afterAll, beforeAll, expect, test } from 'vitest'
import { reposts } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { heldUp, liftLockLimit } from '../../support/database/locks.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { wrongNotifications } from '../../support/graphql/notifications.ts'
import { outcomeOf, outcomes, tally } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
  crowd = await people(app, 6)
  await liftLockLimit(app.database)
})
afterAll(() => app.close())

const quote = (person: Person, uuid: string, more: object = {}) =>
  mutate(app, person, 'sendPost', { content: 'See', quote: uuid, ...more }, 'publication { uuid }')
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, '__typename')
const detach = (uuid: string) => mutate(app, ada, 'detachQuote', { uuid }, '__typename')

async function expectExact(): Promise<void> {
  expect(await wrongCounters(app.database)).toEqual([])
  expect(await wrongNotifications(app.database)).toEqual([])
}

test.each([
  { what: 'a deletion', data: { content: '', deletedAt: new Date() }, refused: 'NOT_FOUND' },
  { what: 'the end of its quotes', data: { quotable: false }, refused: 'FORBIDDEN' },
])('a quote that waits for $what is refused and not counted', async ({ data, refused }) => {
  const uuid = await publish(app, ada)
  const answers = await heldUp(
    app.database,
    (transaction) => transaction.publication.update({ where: { id: uuid }, data }),
    () => crowd.map((author) => quote(author, uuid)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ [refused]: 6 })
  await expectExact()
})

test('a repost that waits for a deletion is refused and not counted', async () => {
  const uuid = await publish(app, ada)
  const answers = await heldUp(
    app.database,
    (transaction) =>
      transaction.publication.update({ where: { id: uuid }, data: { content: '', deletedAt: new Date() } }),
    () => crowd.map((person) => setRelation(app, person, reposts, uuid)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ NOT_FOUND: 6 })
  await expectExact()
})

test('replies that quote the parents of one another, in both orders, do not wait for one another in a circle', async () => {
  const before = await deadlocks(app.database)
  const [one, two] = [await publish(app, ada), await publish(app, ada)]
  const sent = crowd.flatMap((person) => [
    quote(person, one, { parent: two }),
    quote(person, two, { parent: one }),
    toggleRelation(app, person, reposts, one),
    toggleRelation(app, person, reposts, two),
  ])
  expect(await outcomes(sent)).toEqual({ DONE: 12, REPOSTED: 12 })
  expect(await deadlocks(app.database)).toEqual(before)
  await expectExact()
})

test('detachments, deletions of quotes and of what they quote at the same time leave exact counters', async () => {
  const before = await deadlocks(app.database)
  for (const withOriginal of [false, true]) {
    const [original, parent] = [await publish(app, ada), await publish(app, ada)]
    const quotes = await Promise.all(
      crowd.map((person, nth) => publish(app, person, { quote: original, ...(nth % 2 === 0 && { parent }) })),
    )
    const changes = crowd.flatMap((person, nth) => {
      const uuid = quotes[nth] ?? ''
      return [detach(uuid), remove(person, uuid), detach(uuid), quote(person, original)]
    })
    const {
      DONE = 0,
      NOT_FOUND = 0,
      ...others
    } = await outcomes([...changes, ...(withOriginal ? [remove(ada, original)] : [])])
    expect(others).toEqual({})
    expect(DONE).toBeGreaterThanOrEqual(withOriginal ? 1 : 12)
    expect(DONE + NOT_FOUND).toBe(withOriginal ? 25 : 24)
    await expectExact()
  }
  expect(await deadlocks(app.database)).toEqual(before)
})

test('reposts and quotes of and by an account that is deleted meanwhile leave exact counters', async () => {
  const before = await deadlocks(app.database)
  const [author, other] = await people(app, 2)
  if (!author || !other) throw new RangeError('There are too few people')
  const theirs = await Promise.all(Array.from({ length: 3 }, () => publish(app, author)))
  const others = await Promise.all(Array.from({ length: 3 }, () => publish(app, other)))
  for (const uuid of others) {
    await setRelation(app, author, reposts, uuid)
    await publish(app, author, { quote: uuid })
  }
  const writing = crowd.flatMap((person) =>
    [...theirs, ...others].flatMap((uuid) => [
      toggleRelation(app, person, reposts, uuid),
      quote(person, uuid),
      toggleRelation(app, person, reposts, uuid),
    ]),
  )
  const deleted = await deleteSuspended(app, author)
  const found = await outcomes(writing)
  expect(Object.keys(found).filter((it) => !['DONE', 'NOT_FOUND', 'REPOSTED', 'UNREPOSTED'].includes(it))).toEqual([])
  expect(deleted).toMatchObject({ publications: 6, reposts: 3 })
  expect(await deadlocks(app.database)).toEqual(before)
  await expectExact()
  const counts = { where: { id: { in: others } }, select: { repostCount: true, quoteCount: true } }
  expect(await app.database.write.prisma.publication.findMany(counts)).toEqual(
    Array(3).fill({ repostCount: 0, quoteCount: 6 }),
  )
})
