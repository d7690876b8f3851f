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

const encodeAll = (path: string) =>
  path.replace(/[a-z0-9@]/gi, (character) => `%${character.charCodeAt(0).toString(16)}`)

describe.each(operations)('the path of $name', ({ method, version, path, id = '', body, answer, link, name }) => {
  // With all scopes the token's owner sees the address as well.
  const whole = name === 'get own user' ? users.ada : answer
  const expected = done(version, whole, link === undefined ? {} : { link })

  test('may end in a slash', async () => {
    expect(await call(method, `${path(id)}/`, body)).toEqual(expected)
  })

  test('may have a query that nobody asked for', async () => {
    expect(await call(method, `${path(id)}?color=blue`, body)).toEqual(expected)
  })

  test('may be percent-encoded', async () => {
    expect(await call(method, encodeAll(path(id)), body)).toEqual(expected)
  })

  test('may have its uuid in upper case, which comes back in lower case', async () => {
    const upper = link === undefined ? {} : { link: link.replace(id, id.toUpperCase()) }
    const answered = await call(method, path(id.toUpperCase()), body)
    expect([done(version, whole, upper), expected]).toContainEqual(answered)
  })

  test('has neither more nor less', async () => {
    for (const other of [`${path(id)}/more`, `${path(id)}//`, `/v1${path(id)}`, path(id).toUpperCase()]) {
      expect(await call(method, other, body), other).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})

describe.each(operations.filter(({ path }) => path('x').startsWith('/user/x')))(
  'the path of $name',
  ({ method, version, path, id = '', answer, link }) => {
    const name = id === ids.ada ? '@ada' : id === ids.bob ? '@BOB' : '@Cyd'

    test.each([name, encodeURIComponent(name)])('may name the user as %s', async (handle) => {
      const headers = link === undefined ? {} : { link: link.replace(id, name) }
      expect(await call(method, path(handle))).toEqual(done(version, answer, headers))
    })

    test.each(['@nobody', '@ad', '@adaa'])('finds no user %s', async (handle) => {
      expect(await call(method, path(handle))).toEqual(refused(version, 'NOT_FOUND'))
    })
  },
)

test.each(['', '/', '/post/', '/posts', '/user//', `/user/${ids.ada}/posts`, `/post/${ids.adaPost}/replies`, '/likes'])(
  'there is nothing to get at %j',
  async (path) => {
    const { status } = await call('GET', path)
    expect(status).toBe(path === '/post/' ? 405 : 404)
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
])('the path %s is answered with 404', async (path) => {
  const { status, headers, body } = await sendRaw(app.origin, { method: 'GET', path: `/api/v1${path}`, token })
  const expected = refused('V26.07.22', 'NOT_FOUND')
  expect({ status, body: JSON.parse(body) }).toEqual({ status: expected.status, body: expected.body })
  expect(headers).toMatchObject(expected.headers)
})
