import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts'
import { ids, settle, stateOf } from '../../support/networks/small-network.ts'
import { readAnswer, refused } from '../../support/rest/answer.ts'
import { loom, posts } from '../../support/rest/documented-shapes.ts'

const owner = { id: ids.ada, username: 'Ada', token: '' }
let app: TestApp
let token: string

const prepare = async () => {
  await settle(app.database)
  token = await app.token(owner, scopes)
}
beforeAll(async () => {
  app = await startApp()
  await prepare()
})
afterAll(() => app.close())

const callAs = async (bearer: string, ...request: [string, string, unknown?, Record<string, string>?]) =>
  readAnswer(await app.rest(bearer, ...request))
const call = (...request: [string, string, unknown?, Record<string, string>?]) => callAs(token, ...request)
const sendPost = async (pieces: NonNullable<RawRequest['pieces']>) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await sendRaw(app.origin, { method: 'POST', path: '/api/v1/post', token, headers, pieces })
  const body: unknown = JSON.parse(answer.body)
  return { ...answer, body }
}

test('null counts as absent', async () => {
  const post = await call('POST', '/post', { content: 'Hello', locked: null, parent: null, from: null })
  expect(post).toMatchObject({ status: 200, body: { parent: null, locked: false, from: null } })
  const reply = await call('POST', '/reply', { content: 'Hello', lock: null, parent: ids.adaPost, from: null })
  expect(reply).toMatchObject({ status: 200, body: { reply: { locked: false, from: null } } })
  const edited = await call('PATCH', `/post/${ids.adaPost}`, { content: null, locked: true })
  expect(edited).toMatchObject({ status: 200, body: { content: 'A post', locked: true } })
  const unlocked = await call('PATCH', `/reply/${ids.adaReply}`, { content: 'Hello', lock: null })
  expect(unlocked).toMatchObject({ status: 200, body: { reply: { content: 'Hello', locked: true } } })
})

test('unknown fields are ignored, whatever their values', async () => {
  const more = { color: true, author: ids.bob, like_count: 99, __typename: [], constructor: {} }
  const post = await call('POST', '/post', { content: 'Hello', ...more })
  expect(post).toMatchObject({ status: 200, body: { locked: false, author: { uuid: ids.ada }, like_count: 0 } })
  const reply = await call('POST', '/reply', { content: 'Hello', parent: ids.adaPost, color: true })
  expect(reply).toMatchObject({ status: 200, body: { reply: { locked: false } } })
  const edited = await call('PATCH', `/post/${ids.adaPost}`, {
    content: 'Edited',
    uuid: ids.bobPost,
    parent: ids.bobPost,
  })
  expect(edited).toMatchObject({ status: 200, body: { uuid: ids.adaPost, parent: null, content: 'Edited' } })
})

test('the last of several fields with the same name wins', async () => {
  const post = await call('POST', '/post', '{"content":"First","content":"Last"}')
  expect(post).toMatchObject({ status: 200, body: { content: 'Last' } })
})

test('properties of the prototype are not fields of the body', async () => {
  const post = await call('POST', '/post', '{"__proto__":{"content":"Hello"}}')
  expect(post).toEqual(refused('V26.07.22', 'VALIDATION_FAILED', { fields: ['content'] }))
})

test.each(['Application/JSON; charset=utf-8', 'application/json;charset="UTF-8"', ' application/json '])(
  'the type %j is accepted',
  async (type) => {
    expect(await call('POST', '/post', { content: 'Hello' }, { 'content-type': type })).toMatchObject({ status: 200 })
  },
)

test('an edit can be sent as a merge patch, in which null counts as absent, and a new post cannot', async () => {
  const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' }
  const edited = await call('PATCH', `/post/${ids.adaPost}`, { content: 'Merged', locked: null }, headers)
  expect(edited).toMatchObject({ status: 200, body: { content: 'Merged', locked: true } })
  const reply = await call('PATCH', `/reply/${ids.adaReply}`, { content: 'Merged' }, headers)
  expect(reply).toMatchObject({ status: 200, body: { reply: { content: 'Merged' } } })
  expect(await call('POST', '/post', { content: 'Hello' }, headers)).toMatchObject({ status: 415 })
})

test('a body without a media type is refused', async () => {
  const request = { method: 'POST', path: '/api/v1/post', token, pieces: ['{"content":"Hello"}'] }
  expect((await sendRaw(app.origin, request)).status).toBe(415)
})

const utf8 = new TextEncoder()
const quoted = (...bytes: number[]) => Uint8Array.from([...utf8.encode('{"content":"'), ...bytes, ...utf8.encode('"}')])

test.each([
  ['a byte of no character', quoted(0xff)],
  ['half a character', quoted(0xe2, 0x82)],
  ['an overlong form', quoted(0xc0, 0xaf)],
  ['a surrogate', quoted(0xed, 0xa0, 0x80)],
  ['UTF-16', Uint8Array.from(Buffer.from('{"content":"Hello"}', 'utf16le'))],
])('%s is not UTF-8', async (_what, bytes) => {
  const before = await stateOf(app.database)
  expect(await sendPost([bytes])).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
  expect(await stateOf(app.database)).toEqual(before)
})

test('a character can be split between two chunks', async () => {
  const bytes = utf8.encode('{"content":"😀"}')
  const answer = await sendPost([bytes.slice(0, 14), bytes.slice(14)])
  expect(answer).toMatchObject({ status: 200, body: { content: '😀' } })
})

test('a body of more than 64 KiB is refused with a response that fetch can read', async () => {
  const before = await stateOf(app.database)
  const expected = refused('V26.05.28', 'PAYLOAD_TOO_LARGE')
  expect(await call('PATCH', `/reply/${ids.adaReply}`, { content: 'a'.repeat(20 * 1024 * 1024) })).toEqual(expected)
  expect(await stateOf(app.database)).toEqual(before)
})

test.each([
  ['POST', `/post/${ids.adaPost}/like`],
  ['POST', `/user/${ids.bob}/follow`],
  ['PUT', `/like/${ids.bobReply}`],
])('%s %s ignores its body', async (method, path) => {
  for (const [text, type] of [
    ['{"liked":false}', 'application/json'],
    ['{', 'application/json'],
    ['<a/>', 'text/xml'],
    ['a'.repeat(300 * 1024), 'text/plain'],
  ] as const) {
    expect(await call(method, path, text, { 'content-type': type })).toMatchObject({ status: 200 })
  }
})

describe('an edit', () => {
  beforeEach(prepare)

  test('uses lock for replies and locked for posts', async () => {
    const both = { content: 'Edited', lock: false, locked: true }
    const reply = { ...posts.adaReply, content: 'Edited', locked: false }
    expect((await call('PATCH', `/reply/${ids.adaReply}`, both)).body).toEqual({ uuid: ids.adaReply, reply })
    expect((await call('PATCH', `/post/${ids.adaReply}`, both)).body).toEqual({ ...reply, locked: true })
  })

  test('does not change the application', async () => {
    const { body } = await call('PATCH', `/post/${ids.adaPost}`, { content: 'Edited', from: null })
    expect(body).toMatchObject({ from: loom })
    const fromLoom = await app.token(owner, scopes, { applicationId: ids.loom })
    const again = await callAs(fromLoom, 'PATCH', `/post/${ids.adaOrphan}`, { content: 'Edited' })
    expect(again.body).toMatchObject({ from: null })
  })
})

test('an application without a website has a null website', async () => {
  const data = { id: ids.nothing, ownerId: ids.ada, name: 'Shuttle' }
  const { id } = await app.database.write.prisma.application.create({ data })
  const bearer = await app.token(owner, scopes, { applicationId: id })
  const { body } = await callAs(bearer, 'POST', '/post', { content: 'Hello' })
  expect(body).toMatchObject({ from: { uuid: id, name: 'Shuttle', website: null } })
})
