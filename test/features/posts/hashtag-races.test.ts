import fc from 'fast-check'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staleness } from '../../../src/engine/auth/viewers.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { liftLockLimit } from '../../support/database/locks.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomes } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'

let app: TestApp
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  crowd = await people(app, 6)
  await liftLockLimit(app.database)
})
afterAll(() => app.close())

const edit = (person: Person, uuid: string, content: string) =>
  mutate(app, person, 'updatePost', { uuid, content }, 'publication { uuid }')
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')
const countsOf = async () => {
  const rows = await app.database.write.prisma.hashtag.findMany({ orderBy: { name: 'asc' } })
  return rows.map(({ name, publicationCount }) => `${name} ${publicationCount}`)
}

test('posts with the same hashtags in any order at once are all counted', async () => {
  const before = await deadlocks(app.database)
  const orders = ['#a #b #c', '#c #b #a', '#b #a #c']
  const posts = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      publish(app, crowd[index % 6] ?? { token: '' }, { content: orders[index % 3] ?? '' }),
    ),
  )
  expect(await countsOf()).toEqual(['a 30', 'b 30', 'c 30'])
  const writes = posts.map((uuid, index) => {
    const author = crowd[index % 6] ?? crowd[0]
    if (!author) throw new RangeError('There is nobody')
    return index % 2 === 0 ? remove(author, uuid) : edit(author, uuid, index % 3 === 0 ? '#d #a' : '#b')
  })
  expect(await outcomes(writes)).toEqual({ DONE: 30 })
  expect(await countsOf()).toEqual(['a 5', 'b 10', 'd 5'])
  expect(await wrongCounters(app.database)).toEqual([])
  expect(await deadlocks(app.database)).toEqual(before)
})

test('posts for everybody and for others with the same hashtag at once are all counted', async () => {
  const audiences = ['EVERYBODY', 'FOLLOWERS', 'ADDRESSED']
  const posts = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      publish(app, crowd[index % 6] ?? { token: '' }, {
        content: '#mixed #kept',
        audience: audiences[index % 3] ?? '',
      }),
    ),
  )
  expect(await countsOf()).toEqual(expect.arrayContaining(['kept 10', 'mixed 10']))
  const writes = posts.map((uuid, index) => {
    const author = crowd[index % 6] ?? crowd[0]
    if (!author) throw new RangeError('There is nobody')
    return index % 2 === 0 ? remove(author, uuid) : edit(author, uuid, '#kept')
  })
  expect(await outcomes(writes)).toEqual({ DONE: 30 })
  expect((await countsOf()).filter((count) => /kept|mixed/.test(count))).toEqual(['kept 5'])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('concurrent edits and a deletion of one post leave no hashtag', async () => {
  const [author] = crowd
  if (!author) throw new RangeError('There is nobody')
  const uuid = await publish(app, author, { content: '#x' })
  const writes = Array.from({ length: 12 }, (_, index) =>
    index === 7 ? remove(author, uuid) : edit(author, uuid, `#x${index % 3} #y`),
  )
  const { DONE = 0, NOT_FOUND = 0, ...others } = await outcomes(writes)
  expect([others, DONE + NOT_FOUND]).toEqual([{}, 12])
  expect((await countsOf()).filter((count) => /^[xy]/.test(count))).toEqual([])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('the same post that is sent twice at once is counted once', async () => {
  const [author] = crowd
  if (!author) throw new RangeError('There is nobody')
  const more = { content: '#once', uuid: newId() }
  await Promise.all([1, 2, 3, 4].map(() => publish(app, author, more)))
  expect(await countsOf()).toContain('once 1')
})

test('an account that is mentioned while it is deleted is mentioned nowhere afterwards', async () => {
  const [author] = crowd
  if (!author) throw new RangeError('There is nobody')
  const before = await deadlocks(app.database)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 30 }), async (early) => {
      const gone = await app.person()
      const content = `@${author.username} @${gone.username} #gone`
      const posts = await Promise.all(Array.from({ length: 5 }, () => publish(app, author, { content })))
      const suspendedAt = new Date(Date.now() - staleness)
      await app.database.write.prisma.user.update({ where: { id: gone.id }, data: { suspendedAt } })
      const write = (index: number) =>
        index % 3 === 0
          ? publish(app, author, { content })
          : edit(author, posts[index % 5] ?? '', index % 2 === 0 ? content : `Now ${content}`)
      const first = Array.from({ length: early }, (_, index) => write(index))
      const deletion = deleteAccount(app.database, gone.id)
      await Promise.all([...first, deletion, ...Array.from({ length: 30 - early }, (_, index) => write(index))])
      expect(await app.database.write.prisma.mention.count({ where: { userId: gone.id } })).toBe(0)
      expect(await wrongCounters(app.database)).toEqual([])
    }),
    { numRuns: 4, seed: 3, endOnFailure: true },
  )
  expect(await deadlocks(app.database)).toEqual(before)
})
