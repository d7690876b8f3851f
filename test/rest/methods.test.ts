import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { sendRaw } from '../support/raw-request.ts'
import { anyChanging, anyRequestId, readAnswer, refused, type Version } from '../support/rest-answer.ts'
import { operations } from '../support/rest-operations.ts'
import { ids, settle, stateOf } from '../support/small-network.ts'

const newer: Version = 'V26.07.22'
const older: Version = 'V26.05.28'

/** All paths of the interface and their methods. */
const paths = [
  { path: `/post/${ids.adaPost}`, version: newer, allow: ['GET', 'HEAD', 'PATCH', 'DELETE'] },
  { path: `/post/${ids.adaPost}/replies/1`, version: newer, allow: ['GET', 'HEAD'] },
  { path: '/post', version: newer, allow: ['GET', 'HEAD', 'POST'] },
  { path: `/post/${ids.adaPost}/likes/1`, version: newer, allow: ['GET', 'HEAD'] },
  { path: `/post/${ids.adaPost}/like`, version: newer, allow: ['POST'] },
  { path: '/user', version: newer, allow: ['GET', 'HEAD'] },
  { path: '/user/@ada', version: newer, allow: ['GET', 'HEAD'] },
  { path: `/user/${ids.ada}/posts/1`, version: newer, allow: ['GET', 'HEAD'] },
  { path: `/user/${ids.ada}/likes/1`, version: newer, allow: ['GET', 'HEAD'] },
  { path: `/user/${ids.ada}/follow`, version: newer, allow: ['POST'] },
  { path: `/user/${ids.ada}/following`, version: newer, allow: ['GET', 'HEAD'] },
  { path: `/user/${ids.ada}/followers`, version: newer, allow: ['GET', 'HEAD'] },
  { path: `/reply/${ids.adaReply}`, version: older, allow: ['GET', 'HEAD', 'PATCH', 'DELETE'] },
  { path: '/reply', version: older, allow: ['POST'] },
  { path: `/like/${ids.adaReply}`, version: older, allow: ['PUT'] },
] as const

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const

let app: TestApp
let token: string

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
  token = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
})
afterAll(() => app.close())

const listed = (response: { headers: Headers }, header: string) =>
  response.headers.get(header)?.split(', ').toSorted() ?? []

describe.each(paths)('$path', ({ path, version, allow }) => {
  const all = [...allow, 'OPTIONS'].toSorted()
  const others = methods.filter((method) => !allow.some((allowed) => allowed === method))

  test.each(others)('refuses %s and lists the allowed methods', async (method) => {
    const before = await stateOf(app.database)
    const response = await app.rest(token, method, path)
    expect(listed(response, 'allow')).toEqual(all)
    const expected = refused(version, 'METHOD_NOT_ALLOWED', { headers: { allow: response.headers.get('allow') } })
    const body = method === 'HEAD' ? undefined : expected.body
    expect(await readAnswer(response)).toEqual({ ...expected, body })
    expect(await stateOf(app.database)).toEqual(before)
  })

  test('lists the allowed methods for OPTIONS, without a token', async () => {
    const response = await app.rest(undefined, 'OPTIONS', path)
    expect(listed(response, 'allow')).toEqual(all)
    expect(await readAnswer(response)).toEqual({
      status: 204,
      headers: { 'api-version': version, allow: response.headers.get('allow') },
      requestId: anyRequestId,
      body: undefined,
    })
  })

  test('allows browsers of any origin, without credentials', async () => {
    const method = allow[0]
    const asked = {
      origin: 'https://elsewhere.example',
      'access-control-request-headers': 'authorization,content-type',
    }
    const response = await app.rest(undefined, 'OPTIONS', path, undefined, {
      ...asked,
      'access-control-request-method': method,
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    expect(listed(response, 'access-control-allow-methods')).toContain(method)
    const headers = listed(response, 'access-control-allow-headers').map((name) => name.toLowerCase())
    expect(headers).toEqual(expect.arrayContaining(['authorization', 'content-type']))
  })
})

describe.each(operations.filter(({ method }) => method === 'GET'))('HEAD of $name', ({ path, id = '' }) => {
  test.each([
    ['what works', id],
    ['what is refused', ids.nothing],
  ])('returns the headers of GET without a body for %s', async (_what, target) => {
    const request = { path: `/api/v1${path(target)}`, token }
    const get = await sendRaw(app.origin, { ...request, method: 'GET' })
    const head = await sendRaw(app.origin, { ...request, method: 'HEAD' })
    expect(head).toEqual({ status: get.status, headers: anyChanging(get.headers), body: '' })
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)))
  })
})

test.each([
  ['answers', (): string | undefined => token],
  ['refusals', (): string | undefined => undefined],
])('%s expose the relevant headers to browsers', async (_what, bearer) => {
  const response = await app.rest(bearer(), 'GET', `/user/${ids.ada}/following`, undefined, {
    origin: 'https://elsewhere.example',
  })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  expect(listed(response, 'access-control-expose-headers')).toEqual(
    expect.arrayContaining(['API-Version', 'Allow', 'Link', 'Retry-After', 'WWW-Authenticate']),
  )
})

test('each response has its own request id', async () => {
  const requestIds = await Promise.all(
    Array.from({ length: 5 }, async () => (await app.rest(token, 'GET', '/user')).headers.get('x-request-id')),
  )
  expect(new Set(requestIds).size).toBe(5)
})
