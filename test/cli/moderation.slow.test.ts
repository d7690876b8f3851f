import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { relations } from '../../src/features/base/relations.ts'
import type { Person, TestApp } from '../support/app.ts'
import { letTimePass } from '../support/clock.ts'
import { wrongCounters } from '../support/database/counters.ts'
import { reportOf } from '../support/graphql/moderation.ts'
import { outcomeOf } from '../support/graphql/outcomes.ts'
import { publish } from '../support/graphql/publish.ts'
import { signIn } from '../support/graphql/sign-in.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { runRookery } from '../support/processes/rookery-process.ts'

const password = 'correct horse'
const aMissingUuid = '019ab2c4-0000-7000-8000-000000000000'
const created = z.object({ uuid: z.string() })

let database: CommandDatabase
let app: TestApp
beforeAll(async () => {
  database = await commandDatabase()
  app = await database.serve()
})
afterAll(async () => {
  await app.close()
  await database.remove()
})

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], database.env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

type Caller = Pick<Person, 'token'>
async function call({ token }: Caller, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await app.rest(token, method, path, body, headers)
  const document: unknown = await response.json()
  return { status: response.status, body: document }
}

test('a suspended account only reads itself, until it is reinstated', async () => {
  const create = ['user', 'create', 'robin', '--email', 'robin@example.org', '--password-stdin', '--json']
  const { stdout } = await runCommand(create, database.env, password)
  const robin = created.parse(JSON.parse(stdout))
  const token = (await runCommand(['token', 'create', 'robin'], database.env)).stdout.trim()
  const uuid = await publish(app, { token }, { content: 'Still here' })
  const withoutReason = await runCommand(['user', 'suspend', 'robin'], database.env)
  expect([withoutReason.code, withoutReason.stderr]).toEqual([2, expect.stringContaining('--reason')])
  const suspend = (name: string, reason: string) => json('user', 'suspend', name, '--reason', reason)
  expect(await suspend('robin', 'Spam')).toEqual({ uuid: robin.uuid, changed: true })
  expect(await suspend('robin', 'More spam')).toEqual({ uuid: robin.uuid, changed: false })
  letTimePass()
  expect(await call({ token }, 'GET', '/user')).toMatchObject({ status: 200, body: { username: 'robin' } })
  const refused = { status: 403, body: { code: 'ACCOUNT_SUSPENDED', reason: 'Spam' } }
  expect(await call({ token }, 'GET', '/notifications')).toMatchObject(refused)
  expect(outcomeOf(await signIn(app, 'robin', password))).toBe('DONE')
  expect(outcomeOf(await signIn(app, 'robin', 'wrong horse'))).toBe('INVALID_CREDENTIALS')
  const wren = await app.person('wren')
  expect(await call(wren, 'GET', `/post/${uuid}`)).toMatchObject({ status: 404 })
  expect((await runCommand(['user', 'show', 'robin'], database.env)).stdout).toMatch(/^Suspended {2}\d{4}-/m)
  const suspendedAt = expect.stringMatching(/^\d{4}-/)
  expect(await json('user', 'list', '--suspended')).toMatchObject({ users: [{ username: 'robin', suspendedAt }] })
  await suspend('wren', 'Spam')
  const { stdout: first } = await runCommand(['user', 'list', '--suspended', '--limit', '1'], database.env)
  const [next = ''] = /user list --suspended --limit 1 --after .*/.exec(first) ?? []
  expect((await runCommand(next.split(' '), database.env)).stdout).toMatch(/ \d{4}-\S+ \S+ +robin /)
  await json('user', 'reinstate', 'wren')

  expect(await json('user', 'reinstate', 'robin')).toEqual({ uuid: robin.uuid, changed: true })
  letTimePass()
  expect(await call({ token }, 'GET', '/notifications')).toMatchObject({ status: 200 })
  expect(await call(wren, 'GET', `/post/${uuid}`)).toMatchObject({ status: 200, body: { content: 'Still here' } })
  expect(outcomeOf(await signIn(app, 'robin', password))).toBe('DONE')
})

test('an operator deletes posts and replies of anyone, all or none', async () => {
  const [ada, grace] = [await app.person('ada'), await app.person('grace')]
  const root = await publish(app, ada, { content: 'Root' })
  const reply = await publish(app, grace, { content: 'Reply', parent: root })
  const leaf = await publish(app, ada, { content: 'Leaf', parent: reply })
  await Promise.all([call(ada, 'POST', `/post/${reply}/like`), call(grace, 'POST', `/post/${reply}/like`)])
  const refused = await runRookery(['post', 'delete', reply, aMissingUuid], database.env)
  expect(refused).toMatchObject({ code: 1, stderr: 'There is no such publication.\n' })
  expect(await call(ada, 'GET', `/post/${reply}`)).toMatchObject({ status: 200, body: { like_count: 2 } })

  expect(await json('post', 'delete', reply)).toEqual({ deleted: 1 })
  expect(await call(ada, 'GET', `/post/${reply}`)).toMatchObject({ status: 404 })
  expect(await call(ada, 'GET', `/post/${root}`)).toMatchObject({ body: { reply_count: 0 } })
  expect(await call(ada, 'GET', `/post/${leaf}`)).toMatchObject({ body: { parent: { uuid: reply, deleted: true } } })
  expect(await runCommand(['post', 'delete', reply], database.env)).toMatchObject({ code: 1 })

  const thread = await Promise.all(['One', 'Two'].map((content) => publish(app, grace, { content, parent: root })))
  expect(await json('post', 'delete', root, ...thread)).toEqual({ deleted: 3 })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('an operator handles reports, and the log says what was done by whom', async () => {
  const [eve, fay] = [await app.person('eve'), await app.person('fay')]
  const post = await publish(app, eve, { content: 'Buy\nthis' })
  const ofPost = await reportOf(app, fay, post, { reason: 'OTHER', comment: 'Look' })
  const ofEve = await reportOf(app, fay, eve.id)
  const row = { createdAt: expect.any(String), userId: eve.id, username: 'eve' }
  expect(await json('report', 'list', '--limit', '1')).toEqual({
    reports: [{ uuid: ofEve, reason: 'SPAM', subjectId: eve.id, ...row }],
    next: ofEve,
  })
  const { stdout: shown } = await runCommand(['report', 'show', ofPost], database.env)
  expect(shown).toContain('Content    Buy this\n')
  expect(shown).toContain('By         fay\n')

  expect(await json('user', 'suspend', 'eve', '--reason', 'Sells watches')).toEqual({ uuid: eve.id, changed: true })
  const warned = await json('post', 'warn', post, 'Advertising', '--reason', 'Unmarked')
  expect(warned).toEqual({ changed: true })
  expect(await json('post', 'delete', post, '--reason', 'Spam')).toEqual({ deleted: 1 })
  expect(await json('report', 'close', ofPost, '--note', 'Removed')).toEqual({ uuid: ofPost })
  expect(await json('user', 'promote', 'fay')).toEqual({ uuid: fay.id, changed: true })
  expect(await json('user', 'list', '--moderators')).toMatchObject({ users: [{ username: 'fay' }] })
  expect((await runCommand(['report', 'close', ofPost], database.env)).stderr).toBe('This report is already closed.\n')
  expect(await json('report', 'show', ofPost)).toMatchObject({
    uuid: ofPost,
    reporter: 'fay',
    content: 'Buy\nthis',
    state: 'CLOSED',
    closedBy: null,
    note: 'Removed',
  })
  expect(await json('report', 'list', '--closed')).toMatchObject({ reports: [{ uuid: ofPost }], next: null })

  const done = { actorId: null, userId: eve.id, username: 'eve' }
  const log = await json('log', '--limit', '5')
  expect(log).toMatchObject({
    acts: [
      { action: 'USER_PROMOTED', subjectId: fay.id, userId: fay.id, username: 'fay', reason: null },
      { action: 'REPORT_CLOSED', subjectId: ofPost, reason: 'Removed', ...done },
      { action: 'PUBLICATION_REMOVED', subjectId: post, reason: 'Spam', ...done },
      { action: 'PUBLICATION_WARNED', subjectId: post, reason: 'Unmarked', ...done },
      { action: 'USER_SUSPENDED', subjectId: eve.id, reason: 'Sells watches', ...done },
    ],
  })
  const { stdout: help } = await runCommand(['log', '--help'], database.env)
  const [, documented] = /\{acts: \[\{([^}]+)\}/.exec(help) ?? []
  const { acts } = z.object({ acts: z.array(z.record(z.string(), z.unknown())) }).parse(log)
  for (const act of acts) expect(Object.keys(act).join(', ')).toBe(documented)
  expect((await runCommand(['log'], database.env)).stdout).toMatch(/user suspended +operator +eve +Sells watches$/m)
})

test('an operator answers appeals', async () => {
  const [gil, hal] = [await app.person('gil'), await app.person('hal')]
  const uuids: string[] = []
  for (const { id: userId, username } of [gil, hal]) {
    await json('user', 'suspend', username, '--reason', 'Spam')
    const data = { id: newId(), userId, text: 'It was\nnot me' }
    uuids.push((await app.database.write.prisma.appeal.create({ data })).id)
  }
  const [ofGil = '', ofHal = ''] = uuids
  expect(await json('appeal', 'list', '--limit', '1')).toEqual({
    appeals: [{ uuid: ofHal, createdAt: expect.any(String), userId: hal.id, username: 'hal' }],
    next: ofHal,
  })
  expect((await runCommand(['appeal', 'show', ofGil], database.env)).stdout).toContain('Text       It was not me\n')
  expect(await json('appeal', 'accept', ofGil, '--answer', 'Sorry')).toEqual({ uuid: ofGil })
  expect(await json('appeal', 'reject', ofHal, '--answer', 'It was')).toEqual({ uuid: ofHal })
  const again = await runCommand(['appeal', 'accept', ofHal, '--answer', 'Sorry'], database.env)
  expect(again.stderr).toBe('This appeal is already answered.\n')
  const rejected = { uuid: ofHal, state: 'REJECTED', answer: 'It was', answeredBy: null, username: 'hal' }
  expect(await json('appeal', 'show', ofHal)).toMatchObject(rejected)
  expect(await json('appeal', 'list', '--state', 'accepted')).toMatchObject({ appeals: [{ uuid: ofGil }] })
  expect(await json('user', 'reinstate', 'gil')).toMatchObject({ changed: false })
  expect(await json('user', 'reinstate', 'hal')).toMatchObject({ changed: true })
})

test('tokens of the command line have the scope of moderators only for moderators', async () => {
  const ann = await app.person('ann')
  const asked = ['token', 'create', 'ann', '--scopes', 'post.get,moderation.manage']
  expect(await runCommand(asked, database.env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Only moderators/),
  })
  const scopes = async () =>
    z.object({ scopes: z.array(z.string()) }).parse(await json('token', 'create', 'ann')).scopes
  expect(await scopes()).not.toContain('moderation.manage')
  await json('user', 'promote', 'ann')
  expect(await scopes()).toContain('moderation.manage')
  expect((await runCommand(['token', 'list', 'ann'], database.env)).stdout).toMatch(
    / all,moderation.manage +Command line$/m,
  )
  expect((await runCommand(['user', 'show', 'ann'], database.env)).stdout).toMatch(/^Moderator {2}\d{4}-/m)
  await json('user', 'demote', 'ann')
  expect((await runCommand(['token', 'list', 'ann'], database.env)).stdout).not.toContain('moderation.manage')
  letTimePass()
  expect(await call(ann, 'GET', '/user')).toMatchObject({ status: 200 })
})

test('deleting an account erases all of it while others go on, and frees its name', async () => {
  const [gone, one, two] = [await app.person('gone'), await app.person('one'), await app.person('two')]
  const own = await publish(app, gone, { content: 'Mine' })
  const others = await publish(app, one, { content: 'Theirs' })
  const under = await publish(app, gone, { content: 'Under theirs', parent: others })
  const answer = await publish(app, two, { content: 'Below', parent: under })
  const earlier = await publish(app, gone, { content: 'Deleted before' })
  await call(gone, 'DELETE', `/post/${earlier}`)
  const repeated = await call(gone, 'POST', '/post', { content: 'Once' }, { 'idempotency-key': 'a-key' })
  expect(repeated).toMatchObject({ status: 200 })
  await Promise.all([
    call(gone, 'POST', `/post/${others}/like`),
    call(gone, 'POST', `/post/${own}/like`),
    call(two, 'POST', `/post/${own}/like`),
    call(gone, 'POST', `/user/${one.id}/follow`),
    call(two, 'POST', `/user/${gone.id}/follow`),
  ])
  await app.graphql(gone.token, 'mutation { createApplication(input: { name: "Loom" }) { application { uuid } } }')

  let isOver = false
  const keepOn = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const traffic = [
    keepOn(() => call(one, 'POST', `/post/${own}/like`)),
    keepOn(() => call(two, 'POST', `/post/${others}/like`)),
    keepOn(() => call(one, 'POST', `/user/${gone.id}/follow`)),
    keepOn(() => call(two, 'POST', '/post', { content: 'Still there?', parent: own })),
    keepOn(() => call(gone, 'POST', '/post', { content: 'I am quick', parent: others })),
  ]
  const deleted = await json('user', 'delete', 'GONE', '--yes').finally(() => {
    isOver = true
  })
  await Promise.all(traffic)
  const count = expect.any(Number)
  const counts = relations.map(({ table }) => [table, count])
  expect(deleted).toEqual({ uuid: gone.id, publications: count, ...Object.fromEntries(counts) })

  expect(await call(gone, 'GET', '/user')).toMatchObject({ status: 401 })
  expect(await call(one, 'GET', `/user/${gone.id}`)).toMatchObject({ status: 404 })
  expect(await call(one, 'GET', `/user/@gone`)).toMatchObject({ status: 404 })
  for (const uuid of [own, under]) expect(await call(one, 'GET', `/post/${uuid}`)).toMatchObject({ status: 404 })
  expect(await call(one, 'GET', `/post/${answer}`)).toMatchObject({
    status: 200,
    body: { parent: { uuid: under, author: null, deleted: true } },
  })
  expect(await call(one, 'GET', `/post/${others}`)).toMatchObject({ body: { reply_count: 0 } })
  expect(await wrongCounters(app.database)).toEqual([])
  const tombstones = await app.database.write.prisma.publication.findMany({
    where: { id: { in: [own, under, earlier] } },
  })
  const erased = { content: '', authorId: null, applicationId: null, deletedAt: expect.any(Date) }
  expect(tombstones).toMatchObject([erased, erased, erased])
  expect(await app.database.write.prisma.application.count()).toBe(0)
  expect(await app.database.write.prisma.idempotencyKey.count()).toBe(0)
  expect(await app.person('Gone')).toMatchObject({ username: 'Gone' })
})

test('deletion erases from every table that refers to accounts, except for changes, reports and the moderation log', async () => {
  const tables = await app.database.write.prisma.$queryRaw`
    select distinct table_name::text as name from information_schema.columns
    where table_schema = current_schema() and table_name in (
        select table_name from information_schema.tables where table_type = 'BASE TABLE')
      and column_name in ('user_id', 'account_id', 'author_id', 'owner_id', 'viewer_id', 'follower_id', 'followee_id')
    union select conrelid::regclass::text from pg_constraint where confrelid = 'users'::regclass
    order by 1`
  const others = [
    'access_tokens',
    'addressees',
    'appeals',
    'applications',
    'changes',
    'account_deletions',
    'email_tokens',
    'follow_requests',
    'former_usernames',
    'blocked_pairs',
    'hidden_accounts',
    'idempotency_keys',
    'invitations',
    'mentions',
    'moderation_acts',
    'notification_markers',
    'oauth_grants',
    'oauth_records',
    'passkeys',
    'pending_accounts',
    'private_accounts',
    'publications',
    'recovery_codes',
    'reports',
    'second_factors',
    'sign_in_challenges',
    'user_badges',
  ]
  const handled = [...others, ...relations.map(({ table }) => table)]
  expect(tables, 'a new one is a relation, or belongs to account-deletion.ts').toEqual(
    handled.sort().map((name) => ({ name })),
  )
})
