import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { posts, users } from '../support/documented-shapes.ts'
import { ids, settle } from '../support/small-network.ts'

let app: TestApp
let token: string
const ada = { id: ids.ada, username: 'Ada', token: '' }

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
  token = await app.token(ada, scopes)
})
afterAll(() => app.close())

/** The text, so that the order of keys counts, and `1.0` is no `1`. */
const get = async (path: string, bearer = token) => (await app.rest(bearer, 'GET', path)).text()

test.each([
  ['a post', ids.adaPost, posts.adaPost],
  ['a locked post that the viewer likes', ids.bobPost, posts.bobPost],
  ['a reply', ids.adaReply, posts.adaReply],
  ['a reply to a reply, whose parent has no parent of its own', ids.bobNested, posts.bobNested],
  ['a reply to what was deleted', ids.adaOrphan, posts.adaOrphan],
])('the post object of %s has the documented keys in their order', async (_what, id, expected) => {
  expect(await get(`/post/${id}`)).toBe(JSON.stringify(expected))
})

test('a post with its replies has the documented keys in their order', async () => {
  const expected = { post: posts.adaPost, replies: [posts.bobReply] }
  expect(await get(`/post/${ids.adaPost}/replies/1`)).toBe(JSON.stringify(expected))
})

test("the owner's user object has the e-mail address when the token may read it", async () => {
  const expected = JSON.stringify(users.ada)
  expect(await get('/user')).toBe(expected)
  expect(await get(`/user/${ids.ada}`)).toBe(expected)
  expect(await get('/user/@ada')).toBe(expected)
})

test("the owner's user object has both e-mail keys null when the token may not read them", async () => {
  const expected = JSON.stringify({ ...users.ada, email: null, email_verified: null })
  const narrow = await app.token(ada, ['user.get'])
  expect(await get('/user', narrow)).toBe(expected)
  expect(await get(`/user/${ids.ada}`, narrow)).toBe(expected)
})

test('an address that was not verified says so', async () => {
  const bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, ['user.get', 'user.email'])
  const { uuid, username, display_name, avatar, ...rest } = users.bob
  const own = { uuid, username, display_name, avatar, email: 'bob@example.org', email_verified: false, ...rest }
  expect(await get('/user', bob)).toBe(JSON.stringify(own))
})

test("another's user object has neither e-mail key, whatever the token may read", async () => {
  expect(await get(`/user/${ids.cyd}`)).toBe(JSON.stringify(users.cyd))
  expect(await get('/user/@CYD')).toBe(JSON.stringify(users.cyd))
})

test('the lists of users have the same objects', async () => {
  expect(await get(`/user/${ids.ada}/following`)).toBe(JSON.stringify({ following: [users.cyd] }))
  expect(await get(`/user/${ids.ada}/followers`)).toBe(JSON.stringify({ followers: [users.cyd, users.bob] }))
})

test('the viewer is among the followers of others without the e-mail keys', async () => {
  const { email, email_verified, ...listed } = users.ada
  expect(await get(`/user/${ids.cyd}/followers`)).toBe(JSON.stringify({ followers: [listed] }))
})

test("a user's posts are named by the user's uuid, also when asked for by name", async () => {
  expect(await get('/user/@ada/posts/1')).toBe(JSON.stringify({ user: ids.ada, posts: [posts.adaPost] }))
})

test('a reply object names all around it by bare uuids, and has the first page of its replies', async () => {
  const expected = {
    uuid: ids.adaReply,
    parent: ids.bobPost,
    author: ids.ada,
    content: 'A reply',
    from: ids.loom,
    lock: true,
    replies: [posts.bobNested],
  }
  expect(await get(`/reply/${ids.adaReply}`)).toBe(JSON.stringify(expected))
})

test('a reply object keeps the uuid of its deleted parent', async () => {
  const expected = {
    uuid: ids.adaOrphan,
    parent: ids.adaGone,
    author: ids.ada,
    content: 'A reply to nothing',
    from: null,
    lock: false,
    replies: [],
  }
  expect(await get(`/reply/${ids.adaOrphan}`)).toBe(JSON.stringify(expected))
})

test('a reply object has the five oldest of its replies', async () => {
  const person = await app.person()
  const numbers = [1, 2, 3, 4, 5, 6]
  for (const number of numbers) {
    await app.rest(person.token, 'POST', '/post', { content: `Reply ${number}`, parent: ids.bobReply })
  }
  const response = await app.rest(token, 'GET', `/reply/${ids.bobReply}`)
  const replies = numbers.slice(0, 5).map((number) => expect.objectContaining({ content: `Reply ${number}` }))
  expect(await response.json()).toMatchObject({ uuid: ids.bobReply, replies })
})

test('a problem document has its members in order', async () => {
  expect(await get(`/post/${ids.nothing}`)).toBe(
    JSON.stringify({
      type: 'urn:rookery:error:not_found',
      title: 'Not found',
      status: 404,
      detail: 'There is no such post.',
      code: 'NOT_FOUND',
    }),
  )
})
