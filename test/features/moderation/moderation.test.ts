import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocks, likes } from '../../../src/features/base/relations.ts'
import { setModerator } from '../../../src/features/moderation/moderation.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { askForToken } from '../../support/graphql/access-tokens.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { logOf, moderator, reportOf } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let mo: Person
let ann: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  mo = await moderator(app, 'mo')
  ann = await moderator(app, 'ann')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const aMissingUuid = '019ab2c4-0000-7000-8000-000000000000'
const entry = (action: string, { id, username }: Person, more: object) => ({
  action,
  actorUuid: mo.id,
  actor: { username: 'mo' },
  subjectUuid: id,
  user: { uuid: id },
  username,
  reason: null,
  ...more,
})

const suspend = (person: Person, uuid: string, reason = 'Spam') =>
  mutate(app, person, 'suspendUser', { uuid, reason }, 'user { suspendedAt }')
const reinstate = (person: Person, uuid: string) =>
  mutate(app, person, 'reinstateUser', { uuid }, 'user { suspendedAt }')
const remove = (person: Person, uuid: string, reason = 'Spam') =>
  mutate(app, person, 'removePublication', { uuid, reason }, 'publication { content }')

test('a moderator suspends and reinstates a user, and the log says so', async () => {
  const suspended = { suspendUser: { user: { suspendedAt: expect.any(String) } } }
  expect((await suspend(mo, bob.id)).data).toEqual(suspended)
  expect((await suspend(ann, bob.id, 'Also')).data).toEqual(suspended)
  letTimePass()
  const home = '{ home { nodes { __typename } } }'
  expect(outcomeOf(await app.graphql(bob.token, home))).toBe('ACCOUNT_SUSPENDED')
  expect((await reinstate(mo, bob.id)).data).toEqual({ reinstateUser: { user: { suspendedAt: null } } })
  letTimePass()
  expect(outcomeOf(await app.graphql(bob.token, home))).toBe('DONE')
  const acts = [entry('USER_REINSTATED', bob, {}), entry('USER_SUSPENDED', bob, { reason: 'Spam' })]
  expect(await logOf(app, mo, 2)).toEqual(acts)
})

test('the log says that the operator deleted an account, once', async () => {
  const gone = await app.person('gone')
  const deletion = await deleteSuspended(app, gone).then(() => logOf(app, mo, 1))
  const byOperator = { actorUuid: null, actor: null, user: null }
  expect(deletion).toEqual([entry('USER_DELETED', gone, byOperator)])
  const begun = await app.person()
  await app.database.write.prisma.accountDeletion.create({ data: { userId: begun.id, erasing: true } })
  await deleteSuspended(app, begun)
  expect(await logOf(app, mo, 1)).toEqual(deletion)
})

test('what a suspended user published is not found by writes of others', async () => {
  const [author, reader] = [await app.person(), await app.person()]
  const uuid = await publish(app, author)
  await suspend(mo, author.id)
  for (const [mutation, input] of [
    ['updatePost', { content: 'Mine' }],
    ['deletePost', {}],
    ['toggleLike', {}],
  ] as const)
    expect([mutation, outcomeOf(await mutate(app, reader, mutation, { uuid, ...input }, '__typename'))]).toEqual([
      mutation,
      'NOT_FOUND',
    ])
})

test('a moderator removes posts and replies of anyone, as their authors could', async () => {
  const post = await publish(app, bob, { content: 'Buy this' })
  const reply = await publish(app, bob, { content: 'And this', parent: post })
  expect((await remove(mo, reply)).data).toEqual({ removePublication: { publication: { content: 'And this' } } })
  expect(outcomeOf(await remove(mo, reply))).toBe('NOT_FOUND')
  expect((await app.graphql(mo.token, `{ post(uuid: "${post}") { replyCount } }`)).data).toEqual({
    post: { replyCount: 0 },
  })
  expect(await logOf(app, mo, 1)).toEqual([entry('PUBLICATION_REMOVED', bob, { subjectUuid: reply, reason: 'Spam' })])
  expect(await wrongCounters(app.database)).toEqual([])
})

describe('a moderator adds a warning', () => {
  const warn = (person: Person, uuid: string, warning = 'Spoilers') =>
    mutate(app, person, 'addWarning', { uuid, warning, reason: 'The end' }, 'publication { content warning }')
  const warningOf = async (uuid: string) =>
    Object((await app.graphql(bob.token, `{ post(uuid: "${uuid}") { warning } }`)).data).post.warning

  test('which is an edit in the feed, and the log says so', async () => {
    const uuid = await publish(app, bob, { content: 'He dies', audience: 'FOLLOWERS' })
    const before = await settledCursor(app, bob)
    const publication = { content: 'He dies', warning: 'Spoilers' }
    expect((await warn(mo, uuid)).data).toEqual({ addWarning: { publication } })
    const acts = [entry('PUBLICATION_WARNED', bob, { subjectUuid: uuid, reason: 'The end' })]
    expect(await logOf(app, mo, 1)).toEqual(acts)
    const changes = await changesAfter(app, bob, { publications: [uuid] }, before)
    expect(changes).toMatchObject([{ kind: 'EDITED', actorUuid: bob.id, publication: { content: 'He dies' } }])
  })

  test('in place of another, which its author can still change', async () => {
    const uuid = await publish(app, bob, { warning: 'Mine' })
    await warn(mo, uuid)
    expect(await warningOf(uuid)).toBe('Spoilers')
    await mutate(app, bob, 'updatePost', { uuid, warning: '' }, '__typename')
    expect(await warningOf(uuid)).toBeNull()
  })

  test('once, if several add the same at the same time', async () => {
    const uuid = await publish(app, bob)
    expect(await outcomes([mo, ann, mo, ann].map((person) => warn(person, uuid)))).toEqual({ DONE: 4 })
    expect(await app.database.write.prisma.moderationAct.count({ where: { subjectId: uuid } })).toBe(1)
  })

  test('and an edit of the author at the same time keeps it', async () => {
    const uuid = await publish(app, bob)
    const edit = mutate(app, bob, 'updatePost', { uuid, content: 'Changed' }, '__typename')
    expect(await outcomes([warn(mo, uuid), edit])).toEqual({ DONE: 2 })
    expect(await warningOf(uuid)).toBe('Spoilers')
  })

  test('but not to what does not exist or is theirs, nor an empty one', async () => {
    const gone = await publish(app, bob)
    await remove(mo, gone)
    expect(await outcomes([warn(mo, gone), warn(mo, aMissingUuid)])).toEqual({ NOT_FOUND: 2 })
    const own = [await publish(app, mo), await publish(app, ann)]
    expect(await outcomes(own.map((uuid) => warn(mo, uuid)))).toEqual({ FORBIDDEN: 2 })
    const uuid = await publish(app, bob)
    const bad = ['', ' ', 'a'.repeat(201)].map((warning) => warn(mo, uuid, warning))
    expect(await outcomes(bad)).toEqual({ VALIDATION_FAILED: 3 })
  })
})

test('a report is closed once, even concurrently', async () => {
  const uuid = await reportOf(app, ann, bob.id)
  const closing = ['One', 'Two', 'Three'].map((note) =>
    mutate(app, mo, 'closeReport', { uuid, note }, 'report { uuid }'),
  )
  expect(await outcomes(closing)).toEqual({ DONE: 1, CONFLICT: 2 })
  const { note: reason } = await app.database.write.prisma.report.findUniqueOrThrow({ where: { id: uuid } })
  expect(await logOf(app, mo, 1)).toEqual([entry('REPORT_CLOSED', bob, { subjectUuid: uuid, reason })])
})

test('an act that changes nothing, or is undone, is not logged', async () => {
  const before = await app.database.write.prisma.moderationAct.count()
  const acts = [reinstate(mo, bob.id), suspend(mo, aMissingUuid), remove(mo, aMissingUuid), suspend(mo, bob.id, ' ')]
  expect(await outcomes(acts)).toEqual({ DONE: 1, NOT_FOUND: 2, VALIDATION_FAILED: 1 })
  expect(outcomeOf(await mutate(app, mo, 'closeReport', { uuid: aMissingUuid }, 'report { uuid }'))).toBe('NOT_FOUND')
  expect(await app.database.write.prisma.moderationAct.count()).toBe(before)
})

test('moderators that suspend a user at the same time leave one entry', async () => {
  const eve = await app.person('eve')
  await outcomes([mo, ann, mo, ann].map((person) => suspend(person, eve.id)))
  expect(await app.database.write.prisma.moderationAct.count({ where: { subjectId: eve.id } })).toBe(1)
})

describe('a moderator cannot act on', () => {
  test.each([
    ['another moderator', () => ann],
    ['oneself', () => mo],
  ])('%s', async (_name, whom) => {
    const post = await publish(app, whom())
    const acts = [suspend(mo, whom().id), reinstate(mo, whom().id), remove(mo, post)]
    expect(await outcomes(acts)).toEqual({ FORBIDDEN: 3 })
    expect(outcomeOf(await app.graphql(mo.token, `{ post(uuid: "${post}") { uuid } }`))).toBe('DONE')
  })
})

test('nothing can change or remove what is in the log', async () => {
  const { prisma } = app.database.write
  for (const change of [
    'update moderation_acts set reason = null',
    'delete from moderation_acts',
    'truncate moderation_acts',
  ])
    await expect(prisma.$executeRawUnsafe(change)).rejects.toThrow('can only be added to')
})

describe('the scope moderation.manage', () => {
  const scopesIn = ({ data }: { data: unknown }) => JSON.stringify(data)
  const ask = ({ token }: Person) => askForToken(app, token, { scopes: ['MODERATION_MANAGE'] })
  const promote = ({ id }: Person, moderates = true) => setModerator(app.database, id, moderates)
  const lookAt = ({ token }: Person) => app.graphql(token, '{ reports { nodes { uuid } } }')

  test('is in the sign-in tokens of moderators only, until they are demoted', async () => {
    const first = personOf(await signUp(app, { username: 'sam' }))
    expect(outcomeOf(await lookAt(first))).toBe('INSUFFICIENT_SCOPE')
    expect(outcomeOf(await ask(first))).toBe('INSUFFICIENT_SCOPE')

    expect([await promote(first), await promote(first)]).toEqual([true, false])
    letTimePass()
    expect(outcomeOf(await lookAt(first))).toBe('DONE')
    const sam = personOf(await signIn(app, 'sam'))
    expect(outcomeOf(await lookAt(sam))).toBe('DONE')
    const asked = await ask(sam)
    expect(scopesIn(asked)).toContain('MODERATION_MANAGE')

    expect([await promote(sam, false), await promote(sam, false)]).toEqual([true, false])
    letTimePass()
    expect(outcomeOf(await lookAt(sam))).toBe('INSUFFICIENT_SCOPE')
    expect(outcomeOf(await ask(sam))).toBe('INSUFFICIENT_SCOPE')
    expect(outcomeOf(await app.graphql(sam.token, '{ viewer { uuid } }'))).toBe('DONE')
    const tokens = await app.database.write.prisma.accessToken.findMany({ where: { userId: sam.id } })
    expect(tokens.flatMap(({ scopes }) => scopes)).not.toContain('moderation.manage')
    expect(outcomeOf(await lookAt(personOf(await signIn(app, 'sam'))))).toBe('INSUFFICIENT_SCOPE')
    const acts = ['USER_DEMOTED', 'USER_PROMOTED'].map((action) => entry(action, sam, { actorUuid: null, actor: null }))
    expect(await logOf(app, mo, 2)).toEqual(acts)
  })

  test('is not issued by a process that has not learned of the demotion', async () => {
    const there = await startApp({}, sharing(app))
    const lee = await moderator(there, 'lee')
    expect(outcomeOf(await lookAt(lee))).toBe('DONE')
    await setModerator(there.database, lee.id, false)
    expect(outcomeOf(await ask(lee))).toBe('FORBIDDEN')
    await there.close()
  })
})

test('a moderator sees what a block hides from others, but writes nothing to it', async () => {
  const uuid = await publish(app, bob)
  const read = async () => (await app.graphql(ann.token, `{ post(uuid: "${uuid}") { uuid } }`)).data
  await setRelation(app, bob, blocks, ann.id)
  expect(await read()).toEqual({ post: { uuid } })
  expect(outcomeOf(await setRelation(app, ann, likes, uuid))).toBe('NOT_FOUND')
  expect(outcomeOf(await mutate(app, ann, 'sendReply', { parent: uuid, content: 'Hello' }, '__typename'))).toBe(
    'NOT_FOUND',
  )
  await setRelation(app, bob, blocks, ann.id, false)
})
