import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { ids, settle } from '../../support/networks/small-network.ts'
import { done, readAnswer, refused, tooNarrow } from '../../support/rest/answer.ts'
import { posts, report, users } from '../../support/rest/documented-shapes.ts'

let app: TestApp
let token: string
const ada = { id: ids.ada, username: 'Ada', token: '' }

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
  token = await app.token(ada, scopes)
})
afterAll(() => app.close())

/**
 * The JSON text, so that the order of keys matters, with a line for each property. One that `JSON.stringify` would write otherwise, such as
 * `1.0`, stays as it is.
 */
const get = async (path: string, bearer = token) => {
  const text = await (await app.rest(bearer, 'GET', path)).text()
  return JSON.stringify(JSON.parse(text)) === text ? indented(JSON.parse(text)) : text
}

const indented = (value: unknown) => JSON.stringify(value, undefined, 2)

const { email: _, email_verified: __, ...adaInList } = users.ada
const replyObject = { uuid: ids.adaReply, parent: ids.bobPost, author: ids.ada, content: 'A reply', from: ids.loom }
const orphan = { uuid: ids.adaOrphan, parent: ids.adaGone, author: ids.ada, content: 'A reply to nothing', from: null }
const notFound = { type: 'urn:rookery:error:not_found', title: 'Not found', status: 404 }

test.each([
  ['a post', `/post/${ids.adaPost}`, posts.adaPost],
  ['a locked post that the viewer likes', `/post/${ids.bobPost}`, posts.bobPost],
  ['a reply', `/post/${ids.adaReply}`, posts.adaReply],
  ['a reply to a reply, whose parent has no parent of its own', `/post/${ids.bobNested}`, posts.bobNested],
  ['a reply to what was deleted', `/post/${ids.adaOrphan}`, posts.adaOrphan],
  ['a post with replies', `/post/${ids.adaPost}/replies/1`, { post: posts.adaPost, replies: [posts.bobReply] }],
  ['the token owner', '/user', users.ada],
  ['the token owner by id', `/user/${ids.ada}`, users.ada],
  ['the token owner by name', '/user/@ada', users.ada],
  ['another user, without e-mail fields', `/user/${ids.cyd}`, users.cyd],
  ['another user by name', '/user/@CYD', users.cyd],
  ['a list of accounts', `/user/${ids.ada}/following`, { following: [users.cyd] }],
  ['a list of followers', `/user/${ids.ada}/followers`, { followers: [users.cyd, users.bob] }],
  ['a list with the viewer, without e-mail fields', `/user/${ids.cyd}/followers`, { followers: [adaInList] }],
  ['a list of posts, with the UUID of the user', '/user/@ada/posts/1', { user: ids.ada, posts: [posts.adaPost] }],
  ['a reply object', `/reply/${ids.adaReply}`, { ...replyObject, lock: true, replies: [posts.bobNested] }],
  ['a reply object of a deleted parent', `/reply/${ids.adaOrphan}`, { ...orphan, lock: false, replies: [] }],
  ['a list of reports', '/moderation/reports', { reports: [report] }],
  ['a problem', `/post/${ids.nothing}`, { ...notFound, detail: 'There is no such post.', code: 'NOT_FOUND' }],
])('%s has the documented keys in their order', async (_what, path, expected) => {
  expect(await get(path)).toBe(indented(expected))
})

test('the user object of the token owner has null e-mail fields without the scope', async () => {
  const expected = indented({ ...users.ada, email: null, email_verified: null })
  const narrow = await app.token(ada, ['user.get'])
  expect(await get('/user', narrow)).toBe(expected)
  expect(await get(`/user/${ids.ada}`, narrow)).toBe(expected)
})

test('an unverified address is reported as such', async () => {
  const bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, ['user.get', 'user.email'])
  const { uuid, username, display_name, avatar, ...rest } = users.bob
  const own = { uuid, username, display_name, avatar, email: 'bob@example.org', email_verified: false, ...rest }
  expect(await get('/user', bob)).toBe(indented(own))
})

test('a reply object has its five oldest replies', async () => {
  const person = await app.person()
  const numbers = [1, 2, 3, 4, 5, 6]
  for (const number of numbers) {
    await app.rest(person.token, 'POST', '/post', { content: `Reply ${number}`, parent: ids.bobReply })
  }
  const response = await app.rest(token, 'GET', `/reply/${ids.bobReply}`)
  const replies = numbers.slice(0, 5).map((number) => expect.objectContaining({ content: `Reply ${number}` }))
  expect(await response.json()).toMatchObject({ uuid: ids.bobReply, replies })
})

const version = 'V26.07.22'

const getPosts = async (uuids: readonly string[], bearer = token) => {
  const query = uuids.map((uuid) => `uuid=${encodeURIComponent(uuid)}`).join('&')
  return readAnswer(await app.rest(bearer, 'GET', `/post?${query}`))
}

test('posts and replies come in the order of their uuids, again where one is repeated', async () => {
  const answer = { posts: [posts.bobNested, posts.adaPost, posts.bobNested] }
  expect(await getPosts([ids.bobNested, ids.adaPost, ids.bobNested])).toEqual(done(version, answer))
})

test('a hundred posts are the most', async () => {
  const most = Array<string>(100).fill(ids.adaPost)
  expect(await getPosts(most)).toEqual(done(version, { posts: most.map(() => posts.adaPost) }))
  expect(await getPosts([...most, ids.adaPost])).toEqual(refused(version, 'VALIDATION_FAILED', { fields: ['uuid'] }))
})

test.each([
  { uuids: [], fields: ['uuid'] },
  { uuids: [''], fields: ['uuid[0]'] },
  { uuids: [ids.adaPost, `{${ids.adaPost}}`, 'nope'], fields: ['uuid[1]', 'uuid[2]'] },
  { uuids: [`${ids.adaPost},${ids.bobPost}`], fields: ['uuid[0]'] },
])('the uuids $uuids are refused, naming $fields', async ({ uuids, fields }) => {
  expect(await getPosts(uuids)).toEqual(refused(version, 'VALIDATION_FAILED', { fields }))
})

test('of many wrong uuids, the first 20 are named', async () => {
  const fields = Array.from({ length: 20 }, (_, index) => `uuid[${index}]`)
  expect(await getPosts(Array<string>(21).fill('x'))).toEqual(refused(version, 'VALIDATION_FAILED', { fields }))
})

test('all are refused when the token does not permit the kind of one', async () => {
  const narrow = await app.token(ada, ['post.get'])
  expect(await getPosts([ids.adaPost, ids.bobReply], narrow)).toEqual(tooNarrow(version, ['post.get'], [['reply.get']]))
})

const call = async (method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(token, method, path, body))

test('all invalid fields are listed with what they must be, not in terms of GraphQL', async () => {
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
  ['/user/-', 'user'],
  ['/user/-/posts', 'user'],
  ['/like/x', 'reply', 'PUT'],
])('the malformed id in %s says what is not found', async (path, what, method = 'GET') => {
  expect(await call(method, path)).toMatchObject({
    status: 404,
    body: { detail: `There is no such ${what}: its id is malformed.`, code: 'NOT_FOUND' },
  })
})

test.each(['henk', 'HENK/posts', 'henk/replies/2'])('the path /user/%s suggests the username', async (rest) => {
  const [name] = rest.split('/')
  expect(await call('GET', `/user/${rest}`)).toMatchObject({
    status: 404,
    body: { detail: `There is no such user: its id is malformed. Did you mean @${name}?`, code: 'NOT_FOUND' },
  })
})
