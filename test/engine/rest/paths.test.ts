import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { sendRaw } from '../../support/http/raw-request.ts'
import { ids, settleFor, stateOf } from '../../support/networks/small-network.ts'
import { anyChanging, anyRequestId, done, readAnswer, refused } from '../../support/rest/answer.ts'
import { users } from '../../support/rest/documented-shapes.ts'
import { openapi } from '../../support/rest/openapi.ts'
import { operations } from '../../support/rest/operations.ts'
import { sample } from '../../support/sample.ts'

let app: TestApp
let token: string

const prepare = async (operation: Parameters<typeof settleFor>[1] = {}) => {
  await settleFor(app.database, operation)
  token = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
}
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false } })
  await prepare()
})
afterAll(() => app.close())

const call = async (method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(token, method, path, body))

/** A URL with more at the end of its path. */
const extended = (url: string, more: string) => url.replace(/(?=\?)|(?<!\?.*)$/, more)

const encodeAll = (path: string) =>
  path.replace(/[a-z0-9@]/gi, (character) => `%${character.charCodeAt(0).toString(16)}`)

// The log of moderation is never emptied, so what reads it comes before what writes to it.
const readsFirst = operations.toSorted((one, other) => Number(other.method === 'GET') - Number(one.method === 'GET'))

describe.each(sample(readsFirst, 16))(
  'the path of $name',
  ({ method, version, path, id = '', body, answer, link, name, ...operation }) => {
    // With all scopes, the owner of the token also sees the e-mail address.
    const { email, email_verified } = users.ada
    const whole = name.endsWith(' own user') ? { ...Object(answer), email, email_verified } : answer
    const expected = done(version, whole, link === undefined ? {} : { link })
    beforeAll(() => prepare(operation))
    if (method !== 'GET') beforeEach(() => prepare(operation))

    test.each([
      ['a trailing slash', extended(path(id), '/')],
      ['an unknown query parameter', `${path(id)}${path(id).includes('?') ? '&' : '?'}color=blue`],
      ['percent-encoding', encodeAll(path(id))],
    ])('accepts %s', async (_what, spelled) => {
      expect(await call(method, spelled, body)).toEqual(expected)
    })

    test('accepts an upper-case UUID and returns it in lower case', async () => {
      const upper = link === undefined ? {} : { link: String(link).replace(id, id.toUpperCase()) }
      const answered = await call(method, path(id.toUpperCase()), body)
      expect([done(version, whole, upper), expected]).toContainEqual(answered)
    })

    test('accepts no additional or missing segments', async () => {
      const longer = [extended(path(id), '/more'), extended(path(id), '//'), `/v1${path(id)}`]
      for (const other of [...longer, path(id).toUpperCase()]) {
        // One more segment of a list is its page.
        const isPage = name.endsWith('without a page') && other.startsWith(`${path(id)}/`)
        const refusal = isPage ? { status: 422, code: 'VALIDATION_FAILED' } : { status: 404, code: 'NOT_FOUND' }
        expect(await call(method, other, body), other).toMatchObject({ status: refusal.status, body: refusal })
      }
    })
  },
)

describe.each(
  sample(
    operations.filter(({ path }) => path('x').includes('/user/x')),
    6,
  ),
)('the path of $name', ({ method, version, path, id = '', body, answer, link }) => {
  beforeAll(() => prepare())
  if (method !== 'GET') beforeEach(() => prepare())
  const name = { [ids.ada]: '@ada', [ids.bob]: '@BOB', [ids.cyd]: '@Cyd', [ids.eve]: '@eve' }[id] ?? id

  test.each([name, encodeURIComponent(name)])('accepts the user as %s', async (handle) => {
    const headers = link === undefined ? {} : { link: String(link).replace(id, name) }
    expect(await call(method, path(handle), body)).toEqual(done(version, answer, headers))
  })

  test.each(['@nobody', '@ad', '@adaa'])('finds no user %s', async (handle) => {
    expect(await call(method, path(handle), body)).toEqual(refused(version, 'NOT_FOUND'))
  })
})

test.each(['', '/', '/post/', '/posts', '/user//', '/likes', '/like'])(
  'there is nothing to get at %j',
  async (path) => {
    const { status } = await call('GET', path)
    expect(status).toBe(path === '/post/' ? 422 : 404)
  },
)

test.each(['/%', '/%zz', '/post/%ff', '/user/%e4', '/%2e%2e/graphql', '/..', '//user', '/user%2F', '/user;x=1'])(
  'the path %s returns 404',
  async (path) => {
    const { status, headers, body } = await sendRaw(app.origin, { method: 'GET', path: `/api/v1${path}`, token })
    const expected = refused('V26.07.22', 'NOT_FOUND')
    expect({ status, body: JSON.parse(body) }).toEqual({ status: expected.status, body: expected.body })
    expect(headers).toMatchObject(expected.headers)
  },
)

/** All documented paths, also those of lists without a page, and their methods. */
const templates = Object.entries(openapi.paths).flatMap(([template, methods]) =>
  [...new Set([template, template.replace('/{page}', '')])].map((each) => [each, methods] as const),
)
const paths = templates.map(([template, methods]) => ({
  path: template
    .replace('{uuid}', ids.adaReply)
    .replace('{report}', ids.report)
    .replace('{appeal}', ids.appeal)
    .replace('{invitation}', ids.invitation)
    .replace(/\{(?:application|client)\}/, ids.loom)
    .replace('{record}', ids.adaToken)
    .replace('{authorization}', ids.adaGrant)
    .replace('{user}', '@ada')
    .replace('{page}', '1'),
  version: /^\/(?:reply|like)\b/.test(template) ? ('V26.05.28' as const) : ('V26.07.22' as const),
  takesPosts: methods.post?.requestBody !== undefined,
  allow: Object.keys(methods).flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])),
}))

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const

const listed = (response: { headers: Headers }, header: string) =>
  response.headers.get(header)?.split(', ').toSorted() ?? []

describe.each(sample(paths, 16))('$path', ({ path, version, allow, takesPosts }) => {
  const all = [...allow, 'OPTIONS'].toSorted()
  const others = methods.filter((method) => !allow.includes(method))
  let before: unknown
  beforeAll(async () => {
    before = await stateOf(app.database)
  })
  afterAll(async () => expect(await stateOf(app.database)).toEqual(before))

  test.each(others)('refuses %s and lists the allowed methods', async (method) => {
    const response = await app.rest(token, method, path)
    expect(listed(response, 'allow')).toEqual(all)
    const expected = refused(version, 'METHOD_NOT_ALLOWED', { headers: { allow: response.headers.get('allow') } })
    const body = method === 'HEAD' ? undefined : expected.body
    expect(await readAnswer(response)).toEqual({ ...expected, body })
  })

  test('lists the allowed methods and the types of bodies for OPTIONS, without a token', async () => {
    const response = await app.rest(undefined, 'OPTIONS', path)
    expect(listed(response, 'allow')).toEqual(all)
    expect(await readAnswer(response)).toEqual({
      status: 204,
      headers: {
        ...{ 'api-version': version, allow: response.headers.get('allow') },
        ...(allow.includes('PATCH') && { 'accept-patch': 'application/json, application/merge-patch+json' }),
        ...(takesPosts && { 'accept-post': 'application/json' }),
      },
      requestId: anyRequestId,
      body: undefined,
    })
  })
})

describe.each(
  sample(
    operations.filter(({ method }) => method === 'GET'),
    8,
  ),
)('HEAD of $name', ({ path, id = '' }) => {
  test.each([
    ['what works', id],
    ['what is refused', ids.nothing],
  ])('returns the headers of GET without a body for %s', async (_what, target) => {
    const request = { path: `/api/v1${path(target)}`, token }
    const get = await sendRaw(app.origin, { ...request, method: 'GET' })
    const head = await sendRaw(app.origin, { ...request, method: 'HEAD' })
    // A stream has no length.
    const { 'transfer-encoding': chunked, ...headers } = get.headers
    expect(head).toEqual({ status: get.status, headers: anyChanging(headers), body: '' })
    const length = chunked ? undefined : String(Buffer.byteLength(get.body))
    expect(head.headers['content-length']).toBe(length)
  })
})
