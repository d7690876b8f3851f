import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { removeOldAppeals } from '../../../src/features/moderation/appeals.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { logOf, moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'
import { askForExport, exportLinesOf, received } from '../../support/rest/exports.ts'

let app: TestApp
let mo: Person
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false } })
  mo = await moderator(app, 'mo')
})
afterAll(() => app.close())

/** Somebody who is suspended, with an address that may get e-mails. */
async function suspended(): Promise<Person> {
  const { id, username } = await app.person()
  await app.database.write.prisma.user.update({ where: { id }, data: { emailVerified: true } })
  await setSuspended(app.database, 'operator', { uuid: id, reason: 'Spam' }, true)
  // A new token, which no process has looked up before.
  return { id, username, token: await app.token({ id, username, token: '' }, ['user.get', 'account.manage']) }
}

const appeal = (person: Person, text = 'It was not me') =>
  mutate(app, person, 'appeal', { text }, 'appeal { uuid state }')
const answer = (uuid: string, accept: boolean, by = mo) =>
  mutate(app, by, 'answerAppeal', { uuid, accept, answer: 'We looked at it' }, 'appeal { state user { suspendedAt } }')
const appealed = z.object({ appeal: z.object({ appeal: z.object({ uuid: z.uuid() }) }) })
const appealOf = async (person: Person) => appealed.parse((await appeal(person)).data).appeal.appeal.uuid
const own = async ({ token }: Person) =>
  (await app.graphql(token, '{ viewer { appeals { nodes { uuid state text answer answeredAt } } } }')).data
const stateOf = async ({ id }: Person) => {
  const found = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id }, include: { appeals: true } })
  return [found.suspendedAt !== null, ...found.appeals.map(({ state }) => state)]
}

const noticesTo = ({ id }: Person) =>
  app.database.write.prisma.job.count({ where: { key: { startsWith: `appeal-notice ${id}` } } })

test('an appeal is answered where it was sent, and a rejection leaves the account suspended', async () => {
  const person = await suspended()
  const uuid = await appealOf(person)
  const { data } = await app.graphql(mo.token, '{ appeals(first: 1) { nodes { uuid text user { uuid } } } }')
  expect(data).toEqual({ appeals: { nodes: [{ uuid, text: 'It was not me', user: { uuid: person.id } }] } })
  expect((await answer(uuid, false)).data).toMatchObject({ answerAppeal: { appeal: { state: 'REJECTED' } } })
  const answered = { answer: 'We looked at it', answeredAt: expect.any(String) }
  expect(await own(person)).toMatchObject({
    viewer: { appeals: { nodes: [{ uuid, state: 'REJECTED', ...answered }] } },
  })
  expect(await stateOf(person)).toEqual([true, 'REJECTED'])
  const rejected = {
    action: 'APPEAL_REJECTED',
    subjectUuid: uuid,
    username: person.username,
    reason: 'We looked at it',
  }
  expect(await logOf(app, mo, 1)).toMatchObject([rejected])
  expect(await noticesTo(person)).toBe(1)
  // They may try again.
  expect(outcomeOf(await appeal(person))).toBe('DONE')
})

test('accepting an appeal ends the suspension at once, and the log says both', async () => {
  const person = await suspended()
  const uuid = await appealOf(person)
  const read = async () => outcomeOf(await app.graphql(person.token, '{ user(by: { username: "mo" }) { uuid } }'))
  expect(await read()).toBe('ACCOUNT_SUSPENDED')
  const { data } = await answer(uuid, true)
  expect(data).toEqual({ answerAppeal: { appeal: { state: 'ACCEPTED', user: { suspendedAt: null } } } })
  expect(await read()).toBe('DONE')
  const about = { user: { uuid: person.id }, actorUuid: mo.id, reason: 'We looked at it' }
  expect(await logOf(app, mo, 2)).toMatchObject([
    { action: 'USER_REINSTATED', subjectUuid: person.id, ...about },
    { action: 'APPEAL_ACCEPTED', subjectUuid: uuid, ...about },
  ])
  expect(outcomeOf(await answer(uuid, false))).toBe('CONFLICT')
})

test('the end of a suspension accepts the open appeal', async () => {
  const person = await suspended()
  const uuid = await appealOf(person)
  expect(outcomeOf(await mutate(app, mo, 'reinstateUser', { uuid: person.id }, '__typename'))).toBe('DONE')
  expect(await stateOf(person)).toEqual([false, 'ACCEPTED'])
  expect(await noticesTo(person)).toBe(1)
  expect(outcomeOf(await answer(uuid, false))).toBe('CONFLICT')
})

test('is refused without a suspension, with another open appeal, and for texts that are empty or too long', async () => {
  const person = await suspended()
  expect(outcomeOf(await appeal(await app.person()))).toBe('FORBIDDEN')
  for (const text of ['', ' ', 'a'.repeat(1_001)])
    expect(outcomeOf(await appeal(person, text))).toBe('VALIDATION_FAILED')
  expect(await outcomes(Array.from({ length: 6 }, () => appeal(person)))).toEqual({ DONE: 1, CONFLICT: 5 })
  expect(await stateOf(person)).toEqual([true, 'OPEN'])
})

test('is answered once, also while the suspension ends', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, suspended))
  for (const person of people) {
    const uuid = await appealOf(person)
    const reinstate = () => mutate(app, mo, 'reinstateUser', { uuid: person.id }, '__typename')
    const answers = [answer(uuid, true), answer(uuid, false), reinstate(), answer(uuid, true)]
    const { DONE = 0, CONFLICT = 0 } = await outcomes(answers)
    // Either an answer comes first, or the end of the suspension is the answer.
    expect([DONE + CONFLICT, [1, 2].includes(DONE)]).toEqual([4, true])
    expect([
      [false, 'ACCEPTED'],
      [false, 'REJECTED'],
    ]).toContainEqual(await stateOf(person))
  }
})

test('is only read by its sender and by moderators, and answered by moderators for those who are none', async () => {
  const person = await suspended()
  const uuid = await appealOf(person)
  const other = await app.person()
  expect(outcomeOf(await answer(uuid, true, other))).toBe('INSUFFICIENT_SCOPE')
  expect(outcomeOf(await answer(newId(), true))).toBe('NOT_FOUND')
  const ofPerson = `{ user(by: { uuid: "${person.id}" }) { appeals { nodes { uuid } } } }`
  expect((await app.graphql(mo.token, ofPerson)).data).toEqual({ user: { appeals: null } })
  expect(outcomeOf(await app.graphql(person.token, '{ viewer { appeals { nodes { user { uuid } } } } }'))).toBe(
    'ACCOUNT_SUSPENDED',
  )
  await app.database.write.prisma.user.update({ where: { id: person.id }, data: { moderatorSince: new Date() } })
  expect(outcomeOf(await answer(uuid, true))).toBe('FORBIDDEN')
})

test('is part of the export, and erased with its account or in time', async () => {
  const person = await suspended()
  const uuid = await appealOf(person)
  await answer(uuid, false)
  const token = await app.token(person, ['account.export'])
  const { text } = await received(await askForExport(app, { token }))
  const line = { type: 'appeal', text: 'It was not me', state: 'rejected', answer: 'We looked at it' }
  expect(exportLinesOf(text).filter(({ type }) => type === 'appeal')).toMatchObject([line])
  const old = await suspended()
  await answer(await appealOf(old), false)
  const { prisma } = app.database.write
  await prisma.$executeRaw`update appeals set answered_at = now() - interval '31 days' where user_id = ${old.id}::uuid`
  await appealOf(old)
  await removeOldAppeals(app.database, 30)
  expect(await stateOf(old)).toEqual([true, 'OPEN'])
  await deleteSuspended(app, person)
  expect(await prisma.appeal.count({ where: { userId: person.id } })).toBe(0)
})
