import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocks } from '../../../src/features/base/relations.ts'
import { closeReport } from '../../../src/features/moderation/moderation.ts'
import { maxOpenReports, removeOldReports } from '../../../src/features/moderation/reports.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator, report, reportOf } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let ada: Person
let bob: Person
let mo: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  mo = await moderator(app, 'mo')
})
afterAll(() => app.close())

const stored = (id: string) => app.database.write.prisma.report.findUniqueOrThrow({ where: { id } })
const openOf = ({ id: reporterId }: Person) =>
  app.database.write.prisma.report.count({ where: { reporterId, state: 'OPEN' } })
const close = (uuid: string) => closeReport(app.database, 'operator', { uuid })

const selected = `{ uuid state reason comment subjectUuid username displayName content closedAt note
  user { username } publication { content } reporter { username } closedBy { username } }`

async function newest(state: 'OPEN' | 'CLOSED' = 'OPEN') {
  const { data, errors } = await app.graphql(mo.token, `{ reports(state: ${state}, first: 1) { nodes ${selected} } }`)
  expect(errors).toEqual([])
  return data
}

describe('moderators see', () => {
  test('the warning of a post in front of its text, as it was then', async () => {
    const uuid = await publish(app, bob, { content: 'b'.repeat(500), warning: 'a'.repeat(200) })
    await reportOf(app, ada, uuid)
    await mutate(app, bob, 'updatePost', { uuid, warning: '' }, 'publication { uuid }')
    const content = `[CW: ${'a'.repeat(200)}]\n\n${'b'.repeat(500)}`
    expect(await newest()).toMatchObject({ reports: { nodes: [{ subjectUuid: uuid, content }] } })
  })

  test('what was reported as it was then, also after its author deleted it', async () => {
    const uuid = await publish(app, bob, { content: 'Buy this' })
    const id = await reportOf(app, ada, uuid, { reason: 'ABUSE', comment: 'Again' })
    await mutate(app, bob, 'updatePost', { uuid, content: 'Harmless' }, 'publication { uuid }')
    const seen = {
      uuid: id,
      state: 'OPEN',
      reason: 'ABUSE',
      comment: 'Again',
      subjectUuid: uuid,
      username: 'bob',
      displayName: 'bob',
      content: 'Buy this',
      closedAt: null,
      note: null,
      user: { username: 'bob' },
      publication: { content: 'Harmless' },
      reporter: { username: 'ada' },
      closedBy: null,
    }
    expect(await newest()).toEqual({ reports: { nodes: [seen] } })
    await mutate(app, bob, 'deletePost', { uuid }, 'publication { uuid }')
    expect(await newest()).toEqual({ reports: { nodes: [{ ...seen, publication: null }] } })

    const { data } = await mutate(app, mo, 'closeReport', { uuid: id, note: 'Warned' }, `report ${selected}`)
    const closed = { state: 'CLOSED', note: 'Warned', closedAt: expect.any(String), closedBy: { username: 'mo' } }
    const then = { ...seen, publication: null, ...closed }
    expect(data).toEqual({ closeReport: { report: then } })
    expect(await newest('CLOSED')).toEqual({ reports: { nodes: [then] } })
  })

  test('the profile of a reported user as it was then', async () => {
    const eve = await app.person('eve')
    await mutate(app, eve, 'updateProfile', { displayName: 'Eva', bio: 'Cheap watches' }, 'viewer { uuid }')
    await reportOf(app, ada, eve.id)
    await mutate(app, eve, 'updateProfile', { displayName: 'Eve', bio: 'Birds' }, 'viewer { uuid }')
    const then = { subjectUuid: eve.id, displayName: 'Eva', content: 'Cheap watches', publication: null }
    expect(await newest()).toMatchObject({ reports: { nodes: [{ ...then, user: { username: 'eve' } }] } })
  })

  test('reports of other moderators, but not of themselves', async () => {
    const ann = await moderator(app, 'ann')
    const [ofMo, ofAnn] = [await reportOf(app, ada, mo.id), await reportOf(app, ada, ann.id)]
    const seenBy = async ({ token }: Person) => {
      const { data } = await app.graphql(token, '{ reports(first: 2) { nodes { uuid } } }')
      return JSON.stringify(data)
    }
    expect(await seenBy(mo)).toContain(ofAnn)
    expect(await seenBy(mo)).not.toContain(ofMo)
    expect(await seenBy(ann)).toContain(ofMo)
    expect(await seenBy(ann)).not.toContain(ofAnn)
    for (const uuid of [ofMo, ofAnn])
      expect(outcomeOf(await mutate(app, mo, 'closeReport', { uuid }, 'report { uuid }'))).toBe('FORBIDDEN')
    await Promise.all([close(ofMo), close(ofAnn)])
  })
})

test('a report of the same is the first one while that is open, even concurrently', async () => {
  const [one = ada, two = ada] = await people(app, 2)
  const uuid = await publish(app, bob)
  const all = await Promise.all(Array.from({ length: 8 }, () => reportOf(app, one, uuid)))
  const [first = ''] = all
  expect(new Set(all)).toEqual(new Set([first]))
  expect(await reportOf(app, one, uuid, { reason: 'OTHER', comment: 'More' })).toBe(first)
  expect(await stored(first)).toMatchObject({ reason: 'SPAM', comment: null })
  expect(await reportOf(app, two, uuid)).not.toBe(first)
  await close(first)
  expect(await reportOf(app, one, uuid)).not.toBe(first)
})

test('an account has at most 20 open reports, even concurrently', async () => {
  expect(maxOpenReports).toBe(20)
  const [reporter = ada, ...others] = await people(app, 26)
  const reports = others.map(({ id }) => report(app, reporter, id))
  expect(await outcomes(reports)).toEqual({ DONE: 20, CONFLICT: 5 })
  expect(await openOf(reporter)).toBe(20)
  const { id } = await app.database.write.prisma.report.findFirstOrThrow({ where: { reporterId: reporter.id } })
  await close(id)
  expect(await outcomes(others.map((other) => report(app, reporter, other.id)))).toEqual({ DONE: 20, CONFLICT: 5 })
})

describe('it is refused to report', () => {
  test('oneself and what one has published', async () => {
    for (const uuid of [ada.id, await publish(app, ada)]) {
      const { errors } = await report(app, ada, uuid)
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'uuid' }] } }])
    }
  })

  test('what does not exist or was deleted', async () => {
    const uuid = await publish(app, bob)
    await mutate(app, bob, 'deletePost', { uuid }, 'publication { uuid }')
    for (const missing of [uuid, '019ab2c4-0000-7000-8000-000000000000'])
      expect(outcomeOf(await report(app, ada, missing))).toBe('NOT_FOUND')
  })

  test('with a comment of more than 1,000 characters', async () => {
    expect(outcomeOf(await report(app, ada, bob.id, { comment: '😀'.repeat(1_001) }))).toBe('VALIDATION_FAILED')
    expect(outcomeOf(await report(app, ada, bob.id, { comment: '😀'.repeat(1_000) }))).toBe('DONE')
  })
})

test('a report outlives the accounts that it is about, and is closed with the reported one', async () => {
  const [reporter = ada, reported = ada, other = ada] = await people(app, 3)
  const ofOther = await reportOf(app, reporter, other.id)
  const ids = [await reportOf(app, reporter, reported.id)]
  const closedBefore = await reportOf(app, reporter, await publish(app, reported))
  for (const person of await people(app, 21)) ids.push(await reportOf(app, person, reported.id))
  await close(closedBefore)
  for (const person of [reporter, reported]) await deleteSuspended(app, person)
  const note = 'The account was deleted.'
  for (const id of ids) expect(await stored(id)).toMatchObject({ state: 'CLOSED', closedAt: expect.any(Date), note })
  expect(await stored(closedBefore)).toMatchObject({ state: 'CLOSED', note: null })
  expect(await newest()).toMatchObject({ reports: { nodes: [{ uuid: ofOther, reporter: null }] } })
  await close(ofOther)
})

test('closed reports are removed in time, open ones are not', async () => {
  const [one = ada, two = ada] = await people(app, 2)
  const ids = [await reportOf(app, one, bob.id), await reportOf(app, two, bob.id), await reportOf(app, two, one.id)]
  const [old = '', recent = '', open = ''] = ids
  await Promise.all([close(old), close(recent)])
  await app.database.write.prisma.$executeRaw`
    update reports set created_at = now() - interval '31 days',
      closed_at = closed_at - case when id = ${old}::uuid then interval '30 days 1 minute' else interval '29 days' end
    where id in (${old}::uuid, ${recent}::uuid, ${open}::uuid)`
  await removeOldReports(app.database, 30)
  const left = await app.database.write.prisma.report.findMany({ where: { id: { in: ids } }, select: { id: true } })
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([recent, open]))
})

test('a publication cannot hide behind the uuid of a user', async () => {
  const input = { uuid: (await app.person()).id, content: 'Hello' }
  expect(outcomeOf(await mutate(app, bob, 'sendPost', input, 'publication { uuid }'))).toBe('CONFLICT')
})

test('what a block hides is not found by reports, but its author is', async () => {
  const [one = ada, two = ada] = await people(app, 2)
  const uuid = await publish(app, one)
  await setRelation(app, two, blocks, one.id)
  expect(outcomeOf(await report(app, two, uuid))).toBe('NOT_FOUND')
  expect(outcomeOf(await report(app, two, one.id))).toBe('DONE')
})
