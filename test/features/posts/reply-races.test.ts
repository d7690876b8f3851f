import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { heldUp, liftLockLimit } from '../../support/database/locks.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes, tally } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'

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

const reply = (person: Person, parent: string) =>
  mutate(app, person, 'sendReply', { parent, content: 'Yes' }, 'reply { uuid }')
const remove = (uuid: string) => mutate(app, ada, 'deletePost', { uuid }, 'publication { content }')
const edit = (uuid: string, change: { content?: string; locked?: boolean }) =>
  mutate(app, ada, 'updatePost', { uuid, ...change }, 'publication { replyCount }')
const rowsUnder = (parentId: string) => app.database.write.prisma.publication.count({ where: { parentId } })
const snapshot = z.object({
  deletePost: z.object({ publication: z.object({ content: z.string() }) }),
})

test.each([
  { what: 'lock', data: { locked: true }, refused: 'POST_LOCKED' },
  { what: 'deletion', data: { content: '', deletedAt: new Date() }, refused: 'NOT_FOUND' },
])('a reply that waits for a $what is refused and not counted', async ({ data, refused }) => {
  const parent = await publish(app, ada)
  const answers = await heldUp(
    app.database,
    (transaction) => transaction.publication.update({ where: { id: parent }, data }),
    () => crowd.map((author) => reply(author, parent)),
  )
  expect(tally(answers.map(outcomeOf))).toEqual({ [refused]: 6 })
  expect(await rowsUnder(parent)).toBe(0)
  expect(await wrongCounters(app.database)).toEqual([])
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
