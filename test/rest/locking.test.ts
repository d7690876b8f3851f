import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { posts } from '../support/documented-shapes.ts'
import { readAnswer, refused } from '../support/rest-answer.ts'
import { ids, settle, stateOf } from '../support/small-network.ts'

let app: TestApp
let ada: string
let bob: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
  bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, scopes)
})
afterAll(() => app.close())

const call = async (bearer: string, method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(bearer, method, path, body))

test('a locked post accepts replies from its author only, on either path', async () => {
  const before = await stateOf(app.database)
  const reply = { content: 'Hello', parent: ids.bobPost }
  expect(await call(ada, 'POST', '/post', reply)).toEqual(refused('V26.07.22', 'POST_LOCKED'))
  expect(await call(ada, 'POST', '/reply', reply)).toEqual(refused('V26.05.28', 'POST_LOCKED'))
  expect(await stateOf(app.database)).toEqual(before)
  expect(await call(bob, 'POST', '/reply', reply)).toMatchObject({ status: 200, body: { parent: ids.bobPost } })
  expect(await call(ada, 'GET', `/post/${ids.bobPost}`)).toMatchObject({ body: { reply_count: 2 } })
})

test('a reply can be locked like a post', async () => {
  const reply = { content: 'Hello', parent: ids.adaReply }
  expect(await call(bob, 'POST', '/reply', reply)).toMatchObject({ status: 403, body: { code: 'POST_LOCKED' } })
  expect(await call(ada, 'POST', '/reply', reply)).toMatchObject({ status: 200 })
})

test('replies to replies of a locked post remain allowed', async () => {
  await call(ada, 'PATCH', `/reply/${ids.adaReply}`, { lock: false })
  expect(await call(bob, 'POST', '/reply', { content: 'Hello', parent: ids.adaReply })).toMatchObject({ status: 200 })
})

test('likes, edits and deletion of a locked post remain allowed', async () => {
  const path = `/post/${ids.bobPost}`
  expect((await call(ada, 'POST', `${path}/like`)).body).toEqual({ action: 'unliked', uuid: ids.bobPost })
  const edited = { ...posts.bobPost, content: 'Edited', like_count: 1, has_liked: false }
  expect((await call(bob, 'PATCH', path, { content: 'Edited' })).body).toEqual(edited)
  expect((await call(bob, 'DELETE', path)).body).toEqual(edited)
})

test('a post can be unlocked and locked again', async () => {
  const path = `/post/${ids.bobPost}`
  const reply = { content: 'Hello', parent: ids.bobPost }
  expect(await call(bob, 'PATCH', path, { locked: false })).toMatchObject({ body: { locked: false } })
  expect(await call(ada, 'POST', '/post', reply)).toMatchObject({ status: 200 })
  expect(await call(bob, 'PATCH', path, { locked: true })).toMatchObject({ body: { locked: true, reply_count: 2 } })
  expect(await call(ada, 'POST', '/post', reply)).toMatchObject({ status: 403, body: { code: 'POST_LOCKED' } })
})

test.each(['/post', '/reply'])('a reply to a missing or deleted parent is refused on %s', async (path) => {
  const before = await stateOf(app.database)
  for (const parent of [ids.nothing, ids.adaGone, ids.ada]) {
    const answer = await call(ada, 'POST', path, { content: 'Hello', parent })
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  }
  expect(await stateOf(app.database)).toEqual(before)
})

test('the UUID of a parent can be in upper case', async () => {
  const reply = { content: 'Hello', parent: ids.adaPost.toUpperCase() }
  expect(await call(bob, 'POST', '/reply', reply)).toMatchObject({ status: 200, body: { parent: ids.adaPost } })
})

describe.each([{ lock: true }, { locked: true }, { lock: true, locked: true }])('the field %j locks', (flag) => {
  test.each([
    ['a new post', 'POST', '/post', { content: 'Locked' }],
    ['a new reply', 'POST', '/reply', { content: 'Locked', parent: ids.adaPost }],
    ['a post', 'PATCH', `/post/${ids.adaPost}`, {}],
    ['a reply', 'PATCH', `/reply/${ids.adaReply}`, {}],
  ] as const)('%s', async (_what, method, path, more) => {
    const { status, body } = await call(ada, method, path, { ...more, ...flag })
    expect(status).toBe(200)
    expect(body).toMatchObject(path.startsWith('/reply') ? { reply: { locked: true } } : { locked: true })
  })
})
