import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

/** The line about the request that the work sends, at this level. */
async function lineOf(work: () => Promise<unknown>, level = info) {
  const before = app.lines.length
  await work()
  const line = app.lines.slice(before).find(({ msg }) => msg === 'answered')
  // The machine may be slow enough for any of them to be a warning.
  expect(line?.level).toBe(Number(line?.ms) > 1_000 ? warning : level)
  return line
}

const debug = 20
const info = 30
const warning = 40
const ms = expect.any(Number)
const missing = '/post/019ab2c4-0000-7000-8000-000000000000'

test('a line names the operation of a REST request, its viewer and cost, and the code of its error', async () => {
  const line = { method: 'GET', requestId: expect.any(String), viewer: ada.id, cost: expect.any(Number), ms }
  const found = await lineOf(() => app.rest(ada.token, 'GET', '/user'))
  expect(found).toMatchObject({ ...line, path: '/api/v1/user', operation: 'getOwnUser', status: 200 })
  expect(found).not.toHaveProperty('code')
  expect(await lineOf(() => app.rest(ada.token, 'GET', missing))).toMatchObject({
    ...line,
    operation: 'getPost',
    status: 404,
    code: 'NOT_FOUND',
  })
  expect(await lineOf(() => app.rest(undefined, 'GET', missing))).toMatchObject({
    status: 401,
    code: 'UNAUTHENTICATED',
  })
})

test('a long path is cut off', async () => {
  const line = await lineOf(() => fetch(`${app.origin}/${'a'.repeat(8_000)}`))
  expect(line?.path).toBe(`/${'a'.repeat(299)}`)
})

test.each(['/health/live', '/health/ready', '/assets/none.js'])('%s is logged at debug', async (path) => {
  await lineOf(() => fetch(app.origin + path), debug)
})

test('a line names the GraphQL operation, its viewer and cost, and the code of its first error', async () => {
  const line = { method: 'POST', path: '/graphql', viewer: ada.id, ms }
  const named = 'query Me { viewer { uuid } } query Other { viewer { username } }'
  const more = { operationName: 'Other' }
  expect(await lineOf(() => app.graphql(ada.token, named, {}, more))).toMatchObject({ ...line, operation: 'Other' })
  const unnamed = await app.graphql(ada.token, '{ viewer { uuid } rateLimit { cost } }')
  const { cost } = Object(Object(unnamed.data).rateLimit)
  expect(cost).toBeGreaterThan(0)
  const again = () => app.graphql(ada.token, '{ viewer { uuid } rateLimit { cost } }')
  expect(await lineOf(again)).toMatchObject({ ...line, operation: 'query', cost })
  const dryRun = await lineOf(() => app.graphql(ada.token, '{ rateLimit(dryRun: true) { cost } }'))
  expect(dryRun).toMatchObject({ cost: 0 })
  expect(await lineOf(() => app.graphql(undefined, 'query Me { viewer { uuid } }'))).toMatchObject({
    operation: 'Me',
    code: 'UNAUTHENTICATED',
  })
  const long = await lineOf(() => app.graphql(ada.token, `query ${'a'.repeat(200)} { viewer { uuid } }`))
  expect(long).toMatchObject({ operation: 'a'.repeat(100) })
  const secret = await lineOf(() => app.graphql(ada.token, `query rookery_${'a'.repeat(43)} { viewer { uuid } }`))
  expect(secret).toMatchObject({ operation: 'rookery_…' })
})

test('a request that takes more than a second is logged as a warning', async () => {
  const line = await lineOf(async () => {
    const socket = await openSocket(app.origin)
    const head = ['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 2']
    socket.write([...head, 'Expect: 100-continue', 'Connection: close', '', ''].join('\r\n'))
    // The request has begun when the server asks for its body.
    await once(socket, 'data')
    await sleep(1_100)
    socket.end('{}')
    for await (const _ of socket);
  })
  expect(line).toMatchObject({ level: warning, code: 'BAD_REQUEST', ms })
})

test.each([
  ['019AB2C4-0000-7000-8000-00000000000F', '019ab2c4-0000-7000-8000-00000000000f'],
  ['019ab2c4000070008000000000000001', '019ab2c4-0000-7000-8000-000000000001'],
])('the request id %s from a proxy is kept', async (sent, kept) => {
  let answered: Response | undefined
  const line = await lineOf(async () => {
    answered = await app.rest(ada.token, 'GET', '/user', undefined, { 'x-request-id': sent })
  })
  expect(answered?.headers.get('x-request-id')).toBe(kept)
  expect(line).toMatchObject({ requestId: kept })
})

test.each(['1', 'x'.repeat(36), '019ab2c4-0000-7000-8000-0000000000012', '019ab2c4-0000-7000-8000-00000000000f, 2'])(
  'the invalid request id %j is replaced',
  async (sent) => {
    const response = await app.rest(ada.token, 'GET', '/user', undefined, { 'x-request-id': sent })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(response.headers.get('x-request-id')).not.toBe(sent)
  },
)
