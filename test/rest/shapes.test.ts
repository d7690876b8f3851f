import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { posts, users } from '../support/documented-shapes.ts'
import { done, readAnswer, refused, tooNarrow } from '../support/rest-answer.ts'
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

test.each([[[]], [['']], [['nope']], [[ids.adaPost, `{${ids.adaPost}}`]], [[`${ids.adaPost},${ids.bobPost}`]]])(
  'the uuids %j are refused',
  async (uuids) => {
    expect(await getPosts(uuids)).toEqual(refused(version, 'VALIDATION_FAILED', { fields: ['uuid'] }))
  },
)

test('all are refused when the token does not permit the kind of one', async () => {
  const narrow = await app.token(ada, ['post.get'])
  expect(await getPosts([ids.adaPost, ids.bobReply], narrow)).toEqual(
    tooNarrow(version, ['reply.get'], [['reply.get']]),
  )
})

const call = async (method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(token, method, path, body))

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
  for (const authorization of [`Token ${token}`, token]) {
    const response = await app.rest(undefined, 'GET', '/user', undefined, { authorization })
    expect(response.status).toBe(401)
    const detail =
      'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'
    expect(await response.json()).toMatchObject({ detail, code: 'UNAUTHENTICATED' })
  }
})
