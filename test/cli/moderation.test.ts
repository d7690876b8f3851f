import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { issueToken } from '../../src/domain/access-tokens.ts'
import { scopes } from '../../src/scopes.ts'
import { type CommandDatabase, commandDatabase } from '../support/command-database.ts'
import { wrongCounters } from '../support/counters.ts'
import { authorization, callRest } from '../support/rest-call.ts'
import { runCommand } from '../support/rookery-command.ts'
import { endProcesses, runRookery, type ServerProcess, startRookery } from '../support/rookery-process.ts'

/** An account and a token of every scope. */
type Account = { readonly uuid: string; readonly token: string }
const password = 'correct horse'
const aMissingUuid = '019ab2c4-0000-7000-8000-000000000000'
const nobody: Account = { uuid: '', token: '' }
const post = z.object({ uuid: z.string() })

let database: CommandDatabase
let server: ServerProcess
beforeAll(async () => {
  database = await commandDatabase()
  server = await startRookery({ ...database.env, DEMO: 'off' })
})
afterAll(async () => {
  server.signal('SIGTERM')
  await server.ended
  await endProcesses()
  await database.remove()
})

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], database.env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function call(account: Account, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await callRest(server.origin, account.token, method, path, body, headers)
  const document: unknown = await response.json()
  return { status: response.status, body: document }
}

async function send(account: Account, body: object): Promise<string> {
  return post.parse((await call(account, 'POST', '/post', body)).body).uuid
}

async function graphql(token: string | undefined, query: string, variables: object = {}) {
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(token) },
    body: JSON.stringify({ query, variables }),
  })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

const signIn = (username: string, secret: string) =>
  graphql(undefined, 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }', {
    input: { username, password: secret },
  })

/** New accounts, made without hashing a password. */
async function accounts(...names: string[]): Promise<Account[]> {
  const made: Account[] = []
  await database.use(async ({ write: { prisma } }) => {
    for (const username of names) {
      const id = newId()
      await prisma.user.create({ data: { id, username, displayName: username, email: `${username}@example.org` } })
      const request = { userId: id, name: 'Test', scopes, expiresAt: null }
      const { token } = await prisma.$transaction((transaction) => issueToken(transaction, request))
      made.push({ uuid: id, token })
    }
  })
  return made
}

test('a suspended account can neither sign in nor use its tokens, until it is reinstated', async () => {
  const create = ['user', 'create', 'robin', '--email', 'robin@example.org', '--password-stdin', '--json']
  const { stdout } = await runCommand(create, database.env, password)
  const robin = {
    ...post.parse(JSON.parse(stdout)),
    token: (await runCommand(['token', 'create', 'robin'], database.env)).stdout.trim(),
  }
  const uuid = await send(robin, { content: 'Still here' })
  expect(await json('user', 'suspend', 'robin')).toEqual({ uuid: robin.uuid, changed: true })
  expect(await json('user', 'suspend', 'robin')).toEqual({ uuid: robin.uuid, changed: false })
  await expect
    .poll(() => call(robin, 'GET', '/user'))
    .toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } })
  expect(await graphql(robin.token, '{ viewer { username } }')).toMatchObject({
    status: 403,
    body: { errors: [{ extensions: { code: 'ACCOUNT_SUSPENDED' } }] },
  })
  expect(await signIn('robin', password)).toMatchObject({
    body: { errors: [{ extensions: { code: 'ACCOUNT_SUSPENDED' } }] },
  })
  expect(await signIn('robin', 'wrong horse')).toMatchObject({
    body: { errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] },
  })
  const [wren = nobody] = await accounts('wren')
  expect(await call(wren, 'GET', `/post/${uuid}`)).toMatchObject({ status: 200, body: { content: 'Still here' } })
  expect((await runCommand(['user', 'show', 'robin'], database.env)).stdout).toMatch(/^Suspended {2}\d{4}-/m)

  expect(await json('user', 'reinstate', 'robin')).toEqual({ uuid: robin.uuid, changed: true })
  await expect.poll(() => call(robin, 'GET', '/user')).toMatchObject({ status: 200 })
  expect(await signIn('robin', password)).toMatchObject({ body: { data: { signIn: { token: expect.any(String) } } } })
})

test('an operator deletes posts and replies of anyone, all or none', async () => {
  const [ada = nobody, grace = nobody] = await accounts('ada', 'grace')
  const root = await send(ada, { content: 'Root' })
  const reply = await send(grace, { content: 'Reply', parent: root })
  const leaf = await send(ada, { content: 'Leaf', parent: reply })
  await Promise.all([call(ada, 'POST', `/post/${reply}/like`), call(grace, 'POST', `/post/${reply}/like`)])
  const refused = await runRookery(['post', 'delete', reply, aMissingUuid], database.env)
  expect(refused).toMatchObject({ code: 1, stderr: 'There is no such publication.\n' })
  expect(await call(ada, 'GET', `/post/${reply}`)).toMatchObject({ status: 200, body: { like_count: 2 } })

  expect(await json('post', 'delete', reply)).toEqual({ deleted: 1 })
  expect(await call(ada, 'GET', `/post/${reply}`)).toMatchObject({ status: 404 })
  expect(await call(ada, 'GET', `/post/${root}`)).toMatchObject({ body: { reply_count: 0 } })
  expect(await call(ada, 'GET', `/post/${leaf}`)).toMatchObject({ body: { parent: { uuid: reply, deleted: true } } })
  expect(await runCommand(['post', 'delete', reply], database.env)).toMatchObject({ code: 1 })

  const thread = await Promise.all(['One', 'Two'].map((content) => send(grace, { content, parent: root })))
  expect(await json('post', 'delete', root, ...thread)).toEqual({ deleted: 3 })
  await database.use(async (open) => expect(await wrongCounters(open)).toEqual([]))
})

test('deleting an account erases all of it while others go on, and frees its name', async () => {
  const [gone = nobody, one = nobody, two = nobody] = await accounts('gone', 'one', 'two')
  const own = await send(gone, { content: 'Mine' })
  const others = await send(one, { content: 'Theirs' })
  const under = await send(gone, { content: 'Under theirs', parent: others })
  const answer = await send(two, { content: 'Below', parent: under })
  const earlier = await send(gone, { content: 'Deleted before' })
  await call(gone, 'DELETE', `/post/${earlier}`)
  const repeated = await call(gone, 'POST', '/post', { content: 'Once' }, { 'idempotency-key': 'a-key' })
  expect(repeated).toMatchObject({ status: 200 })
  await Promise.all([
    call(gone, 'POST', `/post/${others}/like`),
    call(gone, 'POST', `/post/${own}/like`),
    call(two, 'POST', `/post/${own}/like`),
    call(gone, 'POST', `/user/${one.uuid}/follow`),
    call(two, 'POST', `/user/${gone.uuid}/follow`),
  ])
  await graphql(gone.token, 'mutation { createApplication(input: { name: "Loom" }) { application { uuid } } }')

  let isOver = false
  const keepOn = async (work: () => Promise<unknown>) => {
    while (!isOver) await work()
  }
  const traffic = [
    keepOn(() => call(one, 'POST', `/post/${own}/like`)),
    keepOn(() => call(two, 'POST', `/post/${others}/like`)),
    keepOn(() => call(one, 'POST', `/user/${gone.uuid}/follow`)),
    keepOn(() => call(two, 'POST', '/post', { content: 'Still there?', parent: own })),
    keepOn(() => call(gone, 'POST', '/post', { content: 'I am quick', parent: others })),
  ]
  const deleted = await json('user', 'delete', 'GONE', '--yes').finally(() => {
    isOver = true
  })
  await Promise.all(traffic)
  expect(deleted).toEqual({
    uuid: gone.uuid,
    publications: expect.any(Number),
    likes: expect.any(Number),
    follows: expect.any(Number),
  })

  expect(await call(gone, 'GET', '/user')).toMatchObject({ status: 401 })
  expect(await call(one, 'GET', `/user/${gone.uuid}`)).toMatchObject({ status: 404 })
  expect(await call(one, 'GET', `/user/@gone`)).toMatchObject({ status: 404 })
  for (const uuid of [own, under]) expect(await call(one, 'GET', `/post/${uuid}`)).toMatchObject({ status: 404 })
  expect(await call(one, 'GET', `/post/${answer}`)).toMatchObject({
    status: 200,
    body: { parent: { uuid: under, author: null, deleted: true } },
  })
  expect(await call(one, 'GET', `/post/${others}`)).toMatchObject({ body: { reply_count: 0 } })
  await database.use(async (open) => {
    expect(await wrongCounters(open)).toEqual([])
    const tombstones = await open.write.prisma.publication.findMany({ where: { id: { in: [own, under, earlier] } } })
    const erased = { content: '', authorId: null, applicationId: null, deletedAt: expect.any(Date) }
    expect(tombstones).toMatchObject([erased, erased, erased])
    expect(await open.write.prisma.application.count()).toBe(0)
    expect(await open.write.prisma.idempotencyKey.count()).toBe(0)
  })
  expect(await accounts('Gone')).toHaveLength(1)
})

test('deletion erases from every table that refers to accounts', async () => {
  await database.use(async ({ write: { prisma } }) => {
    const tables = await prisma.$queryRaw`
      select distinct table_name::text as name from information_schema.columns
      where table_schema = current_schema() and table_name in (
          select table_name from information_schema.tables where table_type = 'BASE TABLE')
        and column_name in ('user_id', 'account_id', 'author_id', 'owner_id', 'viewer_id', 'follower_id', 'followee_id')
      union select conrelid::regclass::text from pg_constraint where confrelid = 'users'::regclass
      order by 1`
    const handled = [
      'access_tokens',
      'applications',
      'follows',
      'idempotency_keys',
      'likes',
      'publications',
      'user_badges',
    ]
    expect(tables).toEqual(handled.map((name) => ({ name })))
  })
})
