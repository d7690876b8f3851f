import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Answer, type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { heldUp } from '../support/held-up.ts'
import { liftLockLimit } from '../support/lock-limit.ts'
import { mutate } from '../support/mutate.ts'
import { outcomeOf, outcomes, tally } from '../support/outcomes.ts'
import { people, publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let grace: Person
let crowd: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
  grace = await app.person()
  crowd = await people(app, 20)
  await liftLockLimit(app.database)
})
afterAll(() => app.close())

const reply = (person: Person, parent: string) =>
  mutate(app, person, 'sendReply', { parent, content: 'Yes' }, 'reply { uuid }')
const remove = (uuid: string) => mutate(app, ada, 'deletePost', { uuid }, 'publication { content replyCount }')
const edit = (uuid: string, change: { content?: string; locked?: boolean }) =>
  mutate(app, ada, 'updatePost', { uuid, ...change }, 'publication { replyCount }')
const rowsUnder = (parentId: string) => app.database.write.prisma.publication.count({ where: { parentId } })
const snapshot = z.object({
  deletePost: z.object({ publication: z.object({ content: z.string(), replyCount: z.int() }) }),
})

test.each<readonly [string, (parent: string) => Promise<Answer>, string]>([
  ['locked', (parent) => edit(parent, { locked: true }), 'POST_LOCKED'],
  ['deleted', remove, 'NOT_FOUND'],
])(
  'replies sent while the parent is being %s are either stored and counted, or refused',
  async (what, end, refusal) => {
    for (const before of [2, 8, 14]) {
      const parent = await publish(app, ada)
      const early = crowd.slice(0, before).map((author) => reply(author, parent))
      const ending = end(parent)
      const late = crowd.slice(before).map((author) => reply(author, parent))
      const { DONE = 0, [refusal]: refused = 0, ...others } = await outcomes([...early, ...late])
      expect(others).toEqual({})
      expect(DONE + refused).toBe(20)
      expect(outcomeOf(await ending)).toBe('DONE')
      // A deleted parent had exactly the accepted replies: none came after its deletion.
      if (what === 'deleted') expect(snapshot.parse((await ending).data).deletePost.publication.replyCount).toBe(DONE)
      expect(await rowsUnder(parent)).toBe(DONE)
      expect(outcomeOf(await reply(grace, parent))).toBe(refusal)
    }
    expect(await wrongCounters(app.database)).toEqual([])
  },
)

test.each([
  { what: 'lock', data: { locked: true }, refused: 'POST_LOCKED' },
  { what: 'deletion', data: { content: '', deletedAt: new Date() }, refused: 'NOT_FOUND' },
])('a reply that waits for a $what is refused and not counted', async ({ data, refused }) => {
  const parent = await publish(app, ada)
  const answers = await heldUp(
    app.database,
    (transaction) => transaction.publication.update({ where: { id: parent }, data }),
    () => crowd.slice(0, 6).map((author) => reply(author, parent)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ [refused]: 6 })
  expect(await rowsUnder(parent)).toBe(0)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('concurrent deletions of one reply decrement the counter of the parent once', async () => {
  const parent = await publish(app, ada)
  const child = await publish(app, ada, { parent })
  await publish(app, grace, { parent })
  expect(await outcomes(Array.from({ length: 12 }, () => remove(child)))).toEqual({ DONE: 1, NOT_FOUND: 11 })
  const { replyCount } = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: parent } })
  expect(replyCount).toBe(1)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('deleting a whole thread while it receives replies does not deadlock', async () => {
  for (const turned of [false, true, false, true]) {
    const thread: string[] = []
    for (let depth = 0; depth < 6; depth += 1) {
      const parent = thread.at(-1)
      thread.push(await publish(app, ada, parent === undefined ? {} : { parent }))
    }
    const replies = thread.map((parent) => reply(grace, parent))
    const deletions = (turned ? thread.toReversed() : thread).map(remove)
    expect(await outcomes(deletions)).toEqual({ DONE: 6 })
    const { DONE = 0, NOT_FOUND = 0 } = await outcomes(replies)
    expect(DONE + NOT_FOUND).toBe(6)
    const left = await app.database.write.prisma.publication.findMany({ where: { id: { in: thread } } })
    for (const { content, deletedAt } of left) expect([content, deletedAt]).toEqual(['', expect.any(Date)])
    expect(await wrongCounters(app.database)).toEqual([])
  }
})

test('concurrent edits never restore a deleted publication', async () => {
  for (const before of [2, 6, 10]) {
    const uuid = await publish(app, ada, { content: 'version 0' })
    const change = (_: unknown, index: number) => edit(uuid, { content: `version ${index}` })
    const early = Array.from({ length: before }, change)
    const deletion = remove(uuid)
    const late = Array.from({ length: 12 - before }, change)
    const { DONE = 0, NOT_FOUND = 0, ...others } = await outcomes([...early, ...late])
    expect(others).toEqual({})
    expect(DONE + NOT_FOUND).toBe(12)
    expect(snapshot.parse((await deletion).data).deletePost.publication.content).toMatch(/^version \d+$/)
    const row = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: uuid } })
    expect(row).toMatchObject({ content: '', deletedAt: expect.any(Date) })
    expect(outcomeOf(await edit(uuid, { content: 'back again' }))).toBe('NOT_FOUND')
  }
})

test('concurrent edits of content and lock lose neither', async () => {
  const uuid = await publish(app, ada)
  const changes = Array.from({ length: 10 }, (_, index) =>
    edit(uuid, index % 2 === 0 ? { content: 'changed' } : { locked: true }),
  )
  expect(await outcomes(changes)).toEqual({ DONE: 10 })
  const row = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: uuid } })
  expect(row).toMatchObject({ content: 'changed', locked: true, editedAt: expect.any(Date) })
})
