import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ErrorCode, errorCodes } from '../../../src/engine/errors.ts'
import type { Scope } from '../../../src/engine/scopes.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { ids, settle } from '../../support/networks/small-network.ts'
import { readAnswer, refused } from '../../support/rest/answer.ts'

const ada = { id: ids.ada, username: 'Ada', token: '' }
let app: TestApp
let bearer: string

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
  bearer = await app.token(ada, scopes)
})
afterAll(() => app.close())

const tooLarge = `{"content":"${'a'.repeat(300 * 1024)}"}`
const all = scopes

/** Each request has two or more faults. The documented order decides which one is reported. */
const requests: readonly (readonly [
  faults: string,
  code: ErrorCode,
  granted: readonly Scope[] | undefined,
  request: string,
  body?: unknown,
  type?: string,
])[] = [
  ['no token, no such path', 'UNAUTHENTICATED', undefined, 'GET /nowhere'],
  ['no token, malformed id', 'UNAUTHENTICATED', undefined, 'GET /post/x'],
  ['no token, wrong method', 'UNAUTHENTICATED', undefined, 'PUT /user'],
  ['no token, malformed JSON', 'UNAUTHENTICATED', undefined, 'POST /post', '{'],
  ['malformed id, wrong method', 'NOT_FOUND', [], 'PUT /post/x'],
  ['malformed id, wrong type, missing scope', 'NOT_FOUND', [], 'PATCH /post/x', 'a', 'text/plain'],
  ['wrong method, wrong type, missing scope', 'METHOD_NOT_ALLOWED', [], 'PUT /post', 'a', 'text/plain'],
  ['wrong type, too large, missing scope', 'UNSUPPORTED_MEDIA_TYPE', [], 'POST /post', tooLarge, 'text/plain'],
  ['too large, malformed JSON, missing scope', 'PAYLOAD_TOO_LARGE', [], 'POST /post', `{${tooLarge}`],
  ['malformed JSON, missing scope', 'BAD_REQUEST', [], 'POST /reply', '{'],
  ['missing scope, no object, no such post', 'INSUFFICIENT_SCOPE', ['user.get'], `PATCH /post/${ids.nothing}`, '[]'],
  ['missing scope, bad content', 'INSUFFICIENT_SCOPE', ['reply.get'], 'POST /reply', {}],
  [
    'missing scope, bad page, no such user',
    'INSUFFICIENT_SCOPE',
    ['user.get'],
    `GET /user/${ids.nothing}/following?page=0`,
  ],
  ['missing scope, no such reply', 'INSUFFICIENT_SCOPE', ['post.get', 'post.like'], `PUT /like/${ids.nothing}`],
  ['bad page, no such user', 'VALIDATION_FAILED', all, 'GET /user/@nobody/posts/0'],
  ['bad content, no such post', 'VALIDATION_FAILED', all, `PATCH /post/${ids.nothing}`, { content: '' }],
  ["bad content, another's post", 'VALIDATION_FAILED', all, `PATCH /post/${ids.bobPost}`, { content: ' ' }],
  ["nothing left to change, another's reply", 'VALIDATION_FAILED', all, `PATCH /reply/${ids.bobReply}`, {}],
  [
    'bad content, no such parent',
    'VALIDATION_FAILED',
    all,
    'POST /reply',
    { content: 'a'.repeat(501), parent: ids.nothing },
  ],
  ['bad content, locked parent', 'VALIDATION_FAILED', all, 'POST /post', { content: '', parent: ids.bobPost }],
  ["a post where replies are served, another's", 'NOT_FOUND', all, `PATCH /reply/${ids.bobPost}`, { content: 'Mine' }],
  [
    "missing scope of its kind, another's post",
    'INSUFFICIENT_SCOPE',
    ['reply.get', 'reply.edit'],
    `PATCH /post/${ids.bobPost}`,
    { content: 'Mine' },
  ],
  [
    'missing scope of its kind, no such parent',
    'INSUFFICIENT_SCOPE',
    ['post.get', 'post.send'],
    'POST /post',
    { content: 'A reply', parent: ids.nothing },
  ],
]

test.for(requests)('%s: %s', async ([_faults, code, granted, request, body, type]) => {
  const [method = '', path = ''] = request.split(' ')
  const token = granted && (await app.token(ada, granted))
  const answer = await readAnswer(
    await app.rest(token, method, path, body, type === undefined ? {} : { 'content-type': type }),
  )
  const { status } = errorCodes[code]
  expect(answer).toMatchObject({ status, body: { status, code } })
})

const missing = 'Bearer realm="rookery"'
const invalid = 'Bearer realm="rookery", error="invalid_token"'
const challenge = (header: string) =>
  refused('V26.07.22', 'UNAUTHENTICATED', { headers: { 'www-authenticate': header } })

async function getUser(authorization?: string, query = '') {
  const headers = authorization === undefined ? {} : { authorization }
  return readAnswer(await app.rest(undefined, 'GET', `/user${query}`, undefined, headers))
}

test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('a token is accepted with the scheme %j', async (scheme) => {
  expect(await getUser(`${scheme} ${bearer}`)).toMatchObject({ status: 200, body: { username: 'Ada' } })
})

test('a token is not accepted anywhere else', async () => {
  expect(await getUser(undefined, `?access_token=${bearer}`)).toEqual(challenge(missing))
  const inBody = await app.rest(undefined, 'POST', '/post', { content: 'Hello', access_token: bearer })
  expect(await readAnswer(inBody)).toEqual(challenge(missing))
  const inCookie = await app.rest(undefined, 'GET', '/user', undefined, { cookie: `access_token=${bearer}` })
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
  expect(await getUser(header(bearer))).toEqual(challenge(invalid))
})
