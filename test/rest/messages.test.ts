import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { readAnswer } from '../support/rest-answer.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const call = async (method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(ada.token, method, path, body))

test('a value of another type is told what it must be', async () => {
  const answer = await call('POST', '/post', { content: 5, locked: 'yes', parent: 'x' })
  expect(answer.body).toMatchObject({
    detail: 'content must be a string; locked must be true or false; parent must be a UUID',
    errors: [
      { field: 'content', message: 'must be a string' },
      { field: 'locked', message: 'must be true or false' },
      { field: 'parent', message: 'must be a UUID' },
    ],
  })
})

test('a field is named as it was sent', async () => {
  const answer = await call('POST', '/post', { content: 'Hello', lock: 'yes' })
  expect(answer.body).toMatchObject({ errors: [{ field: 'lock', message: 'must be true or false' }] })
})

test.each([
  ['/post/x', 'post'],
  ['/post/x/replies/1', 'post'],
  ['/reply/x', 'reply'],
  ['/user/x', 'user'],
  ['/user/x/posts', 'user'],
])('the malformed id in %s says what is not found', async (path, what) => {
  expect(await call('GET', path)).toMatchObject({
    status: 404,
    body: { detail: `There is no such ${what}: its id is malformed.`, code: 'NOT_FOUND' },
  })
})

test('a malformed id in /like is reported as the id of a reply', async () => {
  const answer = await call('PUT', '/like/x')
  expect(answer.body).toMatchObject({ detail: 'There is no such reply: its id is malformed.' })
})

test('another scheme than Bearer is told so', async () => {
  for (const authorization of [`Token ${ada.token}`, ada.token]) {
    const response = await app.rest(undefined, 'GET', '/user', undefined, { authorization })
    expect(response.status).toBe(401)
    const detail =
      'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'
    expect(await response.json()).toMatchObject({ detail, code: 'UNAUTHENTICATED' })
  }
})
