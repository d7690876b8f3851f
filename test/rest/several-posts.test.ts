import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { posts } from '../support/documented-shapes.ts'
import { done, readAnswer, refused, tooNarrow } from '../support/rest-answer.ts'
import { ids, settle } from '../support/small-network.ts'

const version = 'V26.07.22'
const ada = { id: ids.ada, username: 'Ada', token: '' }

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
  token = await app.token(ada, scopes)
})
afterAll(() => app.close())

const get = async (uuids: readonly string[], bearer = token) => {
  const query = uuids.map((uuid) => `uuid=${encodeURIComponent(uuid)}`).join('&')
  return readAnswer(await app.rest(bearer, 'GET', `/post?${query}`))
}

test('posts and replies come in the order of their uuids, again where one is repeated', async () => {
  const answer = { posts: [posts.bobReply, posts.adaPost, posts.bobReply] }
  expect(await get([ids.bobReply, ids.adaPost, ids.bobReply])).toEqual(done(version, answer))
})

test('a hundred posts are the most', async () => {
  const most = Array<string>(100).fill(ids.adaPost)
  expect(await get(most)).toEqual(done(version, { posts: most.map(() => posts.adaPost) }))
  expect(await get([...most, ids.adaPost])).toEqual(refused(version, 'VALIDATION_FAILED', { fields: ['uuid'] }))
})

test.each([[[]], [['']], [['nope']], [[ids.adaPost, `{${ids.adaPost}}`]], [[`${ids.adaPost},${ids.bobPost}`]]])(
  'the uuids %j are refused',
  async (uuids) => {
    expect(await get(uuids)).toEqual(refused(version, 'VALIDATION_FAILED', { fields: ['uuid'] }))
  },
)

test('all are refused when the token does not permit the kind of one', async () => {
  const narrow = await app.token(ada, ['post.get'])
  expect(await get([ids.adaPost, ids.bobReply], narrow)).toEqual(tooNarrow(version, ['reply.get'], [['reply.get']]))
})
