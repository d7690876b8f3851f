import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { users } from '../support/documented-shapes.ts'
import { sendRaw } from '../support/raw-request.ts'
import { done, readAnswer, refused } from '../support/rest-answer.ts'
import { operations } from '../support/rest-operations.ts'
import { ids, settle } from '../support/small-network.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  token = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
})
afterAll(() => app.close())

const call = async (method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(token, method, path, body))

/** A URL with more at the end of its path. */
const extended = (url: string, more: string) => url.replace(/(?=\?)|(?<!\?.*)$/, more)

const encodeAll = (path: string) =>
  path.replace(/[a-z0-9@]/gi, (character) => `%${character.charCodeAt(0).toString(16)}`)

describe.each(operations)('the path of $name', ({ method, version, path, id = '', body, answer, link, name }) => {
  // With all scopes, the owner of the token also sees the e-mail address.
  const whole = name === 'get own user' ? users.ada : answer
  const expected = done(version, whole, link === undefined ? {} : { link })

  test('accepts a trailing slash', async () => {
    expect(await call(method, extended(path(id), '/'), body)).toEqual(expected)
  })

  test('ignores an unknown query parameter', async () => {
    expect(await call(method, `${path(id)}${path(id).includes('?') ? '&' : '?'}color=blue`, body)).toEqual(expected)
  })

  test('accepts percent-encoding', async () => {
    expect(await call(method, encodeAll(path(id)), body)).toEqual(expected)
  })

  test('accepts an upper-case UUID and returns it in lower case', async () => {
    const upper = link === undefined ? {} : { link: link.replace(id, id.toUpperCase()) }
    const answered = await call(method, path(id.toUpperCase()), body)
    expect([done(version, whole, upper), expected]).toContainEqual(answered)
  })

  test('accepts no additional or missing segments', async () => {
    for (const other of [
      extended(path(id), '/more'),
      extended(path(id), '//'),
      `/v1${path(id)}`,
      path(id).toUpperCase(),
    ]) {
      // One more segment of a list is its page.
      const isPage = name.endsWith('without a page') && other.startsWith(`${path(id)}/`)
      const refusal = isPage ? { status: 422, code: 'VALIDATION_FAILED' } : { status: 404, code: 'NOT_FOUND' }
      expect(await call(method, other, body), other).toMatchObject({ status: refusal.status, body: refusal })
    }
  })
})

describe.each(operations.filter(({ path }) => path('x').startsWith('/user/x')))(
  'the path of $name',
  ({ method, version, path, id = '', answer, link }) => {
    const name = id === ids.ada ? '@ada' : id === ids.bob ? '@BOB' : '@Cyd'

    test.each([name, encodeURIComponent(name)])('accepts the user as %s', async (handle) => {
      const headers = link === undefined ? {} : { link: link.replace(id, name) }
      expect(await call(method, path(handle))).toEqual(done(version, answer, headers))
    })

    test.each(['@nobody', '@ad', '@adaa'])('finds no user %s', async (handle) => {
      expect(await call(method, path(handle))).toEqual(refused(version, 'NOT_FOUND'))
    })
  },
)

test.each(['', '/', '/post/', '/posts', '/user//', '/likes', '/like'])(
  'there is nothing to get at %j',
  async (path) => {
    const { status } = await call('GET', path)
    expect(status).toBe(path === '/post/' ? 422 : 404)
  },
)

test.each([
  '/%',
  '/%zz',
  '/post/%ff',
  '/user/%e4',
  '/%2e%2e/graphql',
  '/..',
  '//user',
  '/user%2F',
  '/user;x=1',
  '/user#x',
])('the path %s returns 404', async (path) => {
  const { status, headers, body } = await sendRaw(app.origin, { method: 'GET', path: `/api/v1${path}`, token })
  const expected = refused('V26.07.22', 'NOT_FOUND')
  expect({ status, body: JSON.parse(body) }).toEqual({ status: expected.status, body: expected.body })
  expect(headers).toMatchObject(expected.headers)
})
