import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeOldResults } from '../../../src/engine/execution/idempotency.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { liftLockLimit } from '../../support/database/locks.ts'
import { onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'
import { password, personOf, signUp } from '../../support/graphql/sign-in.ts'
import { sendRaw } from '../../support/http/raw-request.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

const key = () => ({ 'Idempotency-Key': newId() })
const send = 'mutation ($content: String!) { sendPost(input: { content: $content }) { publication { uuid content } } }'
const toggle = 'mutation ($uuid: UUID!) { toggleLike(input: { uuid: $uuid }) { action publication { likeCount } } }'

/** Sends a GraphQL request and returns its status, its body and whether it is a replay. */
async function graphql(query: string, variables: object, headers: Record<string, string>, { token } = ada) {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return described(response)
}

/** Sends a REST request and returns its status, its body and whether it is a replay. */
async function rest(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
  return described(await app.rest(ada.token, method, path, body, headers))
}

async function described(response: Response) {
  const { status, headers } = response
  const retryAfter = headers.get('retry-after')
  const isReplay = headers.get('idempotency-replayed') === 'true'
  return { status, body: await response.text(), isReplay, ...(retryAfter && { retryAfter }) }
}

/** The number of posts by ada with this content. */
const countPosts = (content: string) =>
  app.database.write.prisma.publication.count({ where: { content, authorId: ada.id } })

test('a GraphQL mutation is done once, and its response is repeated', async () => {
  const headers = key()
  const first = await graphql(send, { content: 'Once' }, headers)
  expect(first).toMatchObject({ status: 200, isReplay: false, body: expect.stringContaining('Once') })
  expect(await graphql(send, { content: 'Once' }, headers)).toEqual({ ...first, isReplay: true })
  expect(await countPosts('Once')).toBe(1)
})

test('a REST write is done once, and its response is repeated', async () => {
  const headers = key()
  const first = await rest('POST', '/post', { content: 'Once, REST' }, headers)
  expect(first).toMatchObject({ status: 200, isReplay: false })
  expect(await rest('POST', '/post', { content: 'Once, REST' }, headers)).toEqual({ ...first, isReplay: true })
  expect(await countPosts('Once, REST')).toBe(1)
})

test('a body that is nested deeply can have a key', async () => {
  const depth = 900
  const body = `{"content":"Deep","more":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const headers = { 'content-type': 'application/json', ...key() }
  const request = { method: 'POST', path: '/api/v1/post', token: ada.token, headers, pieces: [body] }
  const first = await sendRaw(app.origin, request)
  expect(first.status).toBe(200)
  const again = await sendRaw(app.origin, request)
  expect(again).toMatchObject({ status: 200, body: first.body })
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
})

test('a repeated toggle does not flip back', async () => {
  const uuid = await publish(app, bob)
  const [overGraphQL, overREST] = [key(), key()]
  const liked = await graphql(toggle, { uuid }, overGraphQL)
  expect(liked.body).toBe('{"data":{"toggleLike":{"action":"LIKED","publication":{"likeCount":1}}}}')
  expect(await graphql(toggle, { uuid }, overGraphQL)).toEqual({ ...liked, isReplay: true })

  const unliked = await rest('POST', `/post/${uuid}/like`, undefined, overREST)
  expect(unliked.body).toContain('unliked')
  expect(await rest('POST', `/post/${uuid}/like`, undefined, overREST)).toEqual({ ...unliked, isReplay: true })
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
})

test('a deletion can be repeated', async () => {
  const uuid = await publish(app, ada)
  const headers = key()
  const first = await rest('DELETE', `/post/${uuid}`, undefined, headers)
  expect(first.status).toBe(200)
  expect(await rest('DELETE', `/post/${uuid}`, undefined, headers)).toEqual({ ...first, isReplay: true })
})

test('a refusal that was based on stored data is repeated, with its place in the document', async () => {
  const uuid = newId()
  const headers = key()
  const first = await graphql(toggle, { uuid }, headers)
  expect(first).toMatchObject({ isReplay: false, body: expect.stringContaining('"locations"') })
  expect(await graphql(toggle, { uuid }, headers)).toEqual({ ...first, isReplay: true })

  const restHeaders = key()
  const missing = await rest('POST', `/post/${uuid}/like`, undefined, restHeaders)
  expect(missing).toMatchObject({ status: 404, isReplay: false })
  expect(await rest('POST', `/post/${uuid}/like`, undefined, restHeaders)).toEqual({ ...missing, isReplay: true })
})

test('a key that was used for another request is refused', async () => {
  const headers = key()
  await graphql(send, { content: 'One request' }, headers)
  const other = await graphql(send, { content: 'Another request' }, headers)
  expect(other.body).toContain('"IDEMPOTENCY_KEY_REUSED"')
  expect(await rest('POST', '/post', { content: 'One request' }, headers)).toMatchObject({
    status: 422,
    body: expect.stringContaining('"IDEMPOTENCY_KEY_REUSED"'),
  })
  expect(await countPosts('Another request')).toBe(0)
})

test('a token with other scopes does not get the response of the first', async () => {
  const headers = key()
  await graphql(send, { content: 'All scopes' }, headers)
  const token = await app.token(ada, ['post.send', 'post.get'])
  const answer = await graphql(send, { content: 'All scopes' }, headers, { ...ada, token })
  expect(answer.body).toContain('"IDEMPOTENCY_KEY_REUSED"')
})

test('keys of different accounts are independent', async () => {
  const headers = key()
  const first = await graphql(send, { content: 'Same key' }, headers)
  const second = await graphql(send, { content: 'Same key' }, headers, bob)
  expect(second).toMatchObject({ status: 200, isReplay: false })
  expect(second.body).not.toBe(first.body)
})

test('a refused input is not stored, so the corrected request may use the same key', async () => {
  const headers = key()
  expect((await rest('POST', '/post', { content: ' ' }, headers)).status).toBe(422)
  expect(await rest('POST', '/post', { content: 'Corrected' }, headers)).toMatchObject({ status: 200, isReplay: false })
})

test('a failed mutation leaves nothing behind', async () => {
  const tooMuch =
    'mutation { sendPost(input: { content: "Rolled back" }) { publication { ' +
    `${Array.from({ length: 45 }, (_, n) => `c${n}: content`).join(' ')} } } }`
  const long = tooMuch.replace('Rolled back', '✓'.repeat(500))
  const answer = await graphql(long, {}, key())
  expect(answer.body).toContain('must not exceed 65536 bytes')
  expect(await countPosts('✓'.repeat(500))).toBe(0)
})

test('one key covers one mutation', async () => {
  const two =
    'mutation { a: sendPost(input: { content: "Two" }) { publication { uuid } } b: sendPost(input: { ' +
    'content: "Two" }) { publication { uuid } } }'
  expect((await graphql(two, {}, key())).body).toContain('An Idempotency-Key covers one mutation')
  expect(await countPosts('Two')).toBe(0)
})

test('mutations with passwords and tokens ignore the key, whatever it is', async () => {
  const grace = personOf(await signUp(app, { username: 'grace' }))
  const credentials = `username: "grace", password: "${password}"`
  const mutations = [
    `signIn(input: { ${credentials} }) { viewer { username } }`,
    `changePassword(input: { currentPassword: "${password}", newPassword: "${password}" }) { viewer { username } }`,
    'createAccessToken(input: { name: "t", scopes: [POST_GET] }) { accessToken { name } }',
    `signUp(input: { ${credentials}, email: "grace@example.org" }) { viewer { username } }`,
  ]
  for (const headers of [key(), { 'Idempotency-Key': 'a b' }]) {
    for (const mutation of mutations) {
      const usual = await graphql(`mutation { ${mutation} }`, {}, {}, grace)
      expect(await graphql(`mutation { ${mutation} }`, {}, headers, grace)).toEqual(usual)
    }
  }
  expect(await app.database.write.prisma.idempotencyKey.count({ where: { accountId: grace.id } })).toBe(0)
})

test('queries ignore the key', async () => {
  const headers = key()
  const query = '{ viewer { username } }'
  expect(await graphql(query, {}, headers)).toMatchObject({ status: 200, isReplay: false })
  expect(await graphql(query, {}, headers)).toMatchObject({ status: 200, isReplay: false })
})

test.each(['""', '"a b"', 'x'.repeat(256), '"open', '"a", "b"'])('the malformed key %j is refused', async (bad) => {
  expect(await rest('POST', '/post', { content: 'Bad key' }, { 'Idempotency-Key': bad })).toMatchObject({
    status: 400,
    body: expect.stringContaining('Idempotency-Key must be a string of 1 to 255 visible ASCII characters.'),
  })
  expect(await countPosts('Bad key')).toBe(0)
})

test('a key with and without quotes is the same', async () => {
  const id = newId()
  const first = await rest('POST', '/post', { content: 'Quoted' }, { 'Idempotency-Key': `"${id}"` })
  const second = await rest('POST', '/post', { content: 'Quoted' }, { 'Idempotency-Key': id })
  expect(second).toEqual({ ...first, isReplay: true })
})

test('after 24 hours, a key is new again, and its row is removed', async () => {
  const headers = key()
  await rest('POST', '/post', { content: 'Old' }, headers)
  const age = () =>
    app.database.write.prisma.$executeRaw`update idempotency_keys set created_at = created_at - interval '25 hours'`
  await age()
  expect(await rest('POST', '/post', { content: 'Old' }, headers)).toMatchObject({ status: 200, isReplay: false })
  expect(await countPosts('Old')).toBe(2)
  await age()
  await removeOldResults(app.database)
  expect(await app.database.write.prisma.idempotencyKey.count()).toBe(0)
})

test('many concurrent requests with one key are done once', async () => {
  const headers = key()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => rest('POST', '/post', { content: 'Concurrent' }, headers)),
  )
  expect(await countPosts('Concurrent')).toBe(1)
  const done = answers.filter(({ status }) => status === 200)
  expect(new Set(done.map(({ body }) => body)).size).toBe(1)
  expect(done.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  const others = answers.filter(({ status }) => status !== 200)
  expect(others.every(({ status, body }) => status === 409 && body.includes('"IDEMPOTENCY_KEY_IN_USE"'))).toBe(true)
})

test('many concurrent repetitions all get the response', async () => {
  const headers = key()
  const first = await rest('POST', '/post', { content: 'Repeated' }, headers)
  const repeated = await Promise.all(
    Array.from({ length: 20 }, () => rest('POST', '/post', { content: 'Repeated' }, headers)),
  )
  expect(repeated).toEqual(repeated.map(() => ({ ...first, isReplay: true })))
})

// The embedded database runs one transaction at a time.
test.runIf(onPostgres)('a request that is repeated while it is in progress gets 409 over both APIs', async () => {
  const { prisma } = app.database.write
  const uuid = await publish(app, bob)
  const [overGraphQL, overREST] = [key(), key()]
  const ways = [
    () => graphql(toggle, { uuid }, overGraphQL),
    () => rest('POST', `/post/${uuid}/like`, undefined, overREST),
  ]
  await liftLockLimit(app.database)
  for (const send of ways) {
    const { sent } = await prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`select id from publications where id = ${uuid}::uuid for update`
      const sent = send()
      const waiting = () =>
        prisma.$queryRaw`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(waiting).toHaveLength(1)
      const inUse = { status: 409, retryAfter: '1', body: expect.stringContaining('"IDEMPOTENCY_KEY_IN_USE"') }
      expect(await send()).toMatchObject(inUse)
      return { sent }
    })
    // It has waited for the end of that transaction.
    expect(await sent).toMatchObject({ status: 200, isReplay: false })
    expect(await send()).toMatchObject({ status: 200, isReplay: true })
  }
})

test('writes with keys leave the transactions of other writes as they are', async () => {
  const { prisma } = app.database.write
  const [first, second] = [await publish(app, ada), await publish(app, ada)]
  await rest('DELETE', `/post/${first}`, undefined, key())
  await graphql('mutation { createApplication(input: { name: "With a key" }) { application { uuid } } }', {}, key())
  expect((await app.rest(ada.token, 'DELETE', `/post/${second}`)).status).toBe(200)
  const failing = prisma.$transaction(async (transaction) => {
    await transaction.badge.create({ data: { id: newId(), name: 'Undone' } })
    throw new Error('Undo')
  })
  await expect(failing).rejects.toThrow('Undo')
  expect(await prisma.badge.count()).toBe(0)
})

test('a refused write with a key that began a transaction of its own leaves only its response behind', async () => {
  const uuid = await publish(app, bob)
  const headers = key()
  const first = await rest('DELETE', `/post/${uuid}`, undefined, headers)
  expect(first).toMatchObject({ status: 403, isReplay: false })
  expect(await rest('DELETE', `/post/${uuid}`, undefined, headers)).toEqual({ ...first, isReplay: true })
  expect((await app.rest(bob.token, 'DELETE', `/post/${uuid}`)).status).toBe(200)
})
