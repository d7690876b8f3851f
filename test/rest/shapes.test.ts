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

/** The JSON text, so that the order of keys matters and `1.0` differs from `1`. */
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

test('the user object of the token owner has the e-mail address if the token permits it', async () => {
  const expected = JSON.stringify(users.ada)
  expect(await get('/user')).toBe(expected)
  expect(await get(`/user/${ids.ada}`)).toBe(expected)
  expect(await get('/user/@ada')).toBe(expected)
})

test('the user object of the token owner has null e-mail fields without the scope', async () => {
  const expected = JSON.stringify({ ...users.ada, email: null, email_verified: null })
  const narrow = await app.token(ada, ['user.get'])
  expect(await get('/user', narrow)).toBe(expected)
  expect(await get(`/user/${ids.ada}`, narrow)).toBe(expected)
})

test('an unverified address is reported as such', async () => {
  const bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, ['user.get', 'user.email'])
  const { uuid, username, display_name, avatar, ...rest } = users.bob
  const own = { uuid, username, display_name, avatar, email: 'bob@example.org', email_verified: false, ...rest }
  expect(await get('/user', bob)).toBe(JSON.stringify(own))
})

test('the user object of another user has no e-mail fields', async () => {
  expect(await get(`/user/${ids.cyd}`)).toBe(JSON.stringify(users.cyd))
  expect(await get('/user/@CYD')).toBe(JSON.stringify(users.cyd))
})

test('lists of users have the same objects', async () => {
  expect(await get(`/user/${ids.ada}/following`)).toBe(JSON.stringify({ following: [users.cyd] }))
  expect(await get(`/user/${ids.ada}/followers`)).toBe(JSON.stringify({ followers: [users.cyd, users.bob] }))
})

test('the viewer appears among followers without e-mail fields', async () => {
  const { email, email_verified, ...listed } = users.ada
  expect(await get(`/user/${ids.cyd}/followers`)).toBe(JSON.stringify({ followers: [listed] }))
})

test('the posts of a user carry their UUID, even if requested by name', async () => {
  expect(await get('/user/@ada/posts/1')).toBe(JSON.stringify({ user: ids.ada, posts: [posts.adaPost] }))
})

test('a reply object refers to other objects by UUID and has the first page of its replies', async () => {
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

test('a reply object keeps the UUID of its deleted parent', async () => {
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

test('problem details have their members in order', async () => {
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
