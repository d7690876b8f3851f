import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { readAnswer, refused } from '../support/rest-answer.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const missing = 'Bearer realm="rookery"'
const invalid = 'Bearer realm="rookery", error="invalid_token"'
const challenge = (header: string) =>
  refused('V26.07.22', 'UNAUTHENTICATED', { headers: { 'www-authenticate': header } })

async function getUser(authorization?: string, query = '') {
  const headers = authorization === undefined ? {} : { authorization }
  return readAnswer(await app.rest(undefined, 'GET', `/user${query}`, undefined, headers))
}

test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('a token is accepted with the scheme %j', async (scheme) => {
  expect(await getUser(`${scheme} ${ada.token}`)).toMatchObject({ status: 200, body: { username: 'ada' } })
})

test('a token is not accepted anywhere else', async () => {
  expect(await getUser(undefined, `?access_token=${ada.token}`)).toEqual(challenge(missing))
  const inBody = await app.rest(undefined, 'POST', '/post', { content: 'Hello', access_token: ada.token })
  expect(await readAnswer(inBody)).toEqual(challenge(missing))
  const inCookie = await app.rest(undefined, 'GET', '/user', undefined, { cookie: `access_token=${ada.token}` })
  expect(await readAnswer(inCookie)).toEqual(challenge(missing))
})

test.each([
  ['another scheme', (token: string) => `Basic ${token}`],
  ['no scheme', (token: string) => token],
  ['a scheme alone', () => 'Bearer'],
  ['something more', (token: string) => `Bearer ${token} more`],
  ['a letter more', (token: string) => `Bearer ${token}a`],
  ['a letter less', (token: string) => `Bearer ${token.slice(0, -1)}`],
  ['another case', (token: string) => `Bearer ${token.toUpperCase()}`],
  ['two tokens', (token: string) => `Bearer ${token}, Bearer ${token}`],
])('%s is not a token', async (_what, header) => {
  expect(await getUser(header(ada.token))).toEqual(challenge(invalid))
})
