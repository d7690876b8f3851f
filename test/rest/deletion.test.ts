import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { posts } from '../support/documented-shapes.ts'
import { readAnswer, refused } from '../support/rest-answer.ts'
import { ids, settle } from '../support/small-network.ts'

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

test('the response shows the previous state', async () => {
  await call(ada, 'POST', `/post/${ids.adaPost}/like`)
  const { body } = await call(ada, 'DELETE', `/post/${ids.adaPost}`)
  expect(body).toEqual({ ...posts.adaPost, like_count: 2, has_liked: true })
})

test('a deleted publication is not found anywhere', async () => {
  await call(ada, 'DELETE', `/reply/${ids.adaReply}`)
  const gone = (version: 'V26.07.22' | 'V26.05.28') => refused(version, 'NOT_FOUND')
  expect(await call(ada, 'GET', `/post/${ids.adaReply}`)).toEqual(gone('V26.07.22'))
  expect(await call(ada, 'GET', `/post/${ids.adaReply}/replies/1`)).toEqual(gone('V26.07.22'))
  expect(await call(ada, 'PATCH', `/post/${ids.adaReply}`, { content: 'Again' })).toEqual(gone('V26.07.22'))
  expect(await call(ada, 'DELETE', `/post/${ids.adaReply}`)).toEqual(gone('V26.07.22'))
  expect(await call(ada, 'POST', `/post/${ids.adaReply}/like`)).toEqual(gone('V26.07.22'))
  expect(await call(ada, 'GET', `/reply/${ids.adaReply}`)).toEqual(gone('V26.05.28'))
  expect(await call(ada, 'PATCH', `/reply/${ids.adaReply}`, { content: 'Again' })).toEqual(gone('V26.05.28'))
  expect(await call(ada, 'DELETE', `/reply/${ids.adaReply}`)).toEqual(gone('V26.05.28'))
  expect(await call(ada, 'PUT', `/like/${ids.adaReply}`)).toEqual(gone('V26.05.28'))
})

test('other users get 404 too', async () => {
  await call(ada, 'DELETE', `/post/${ids.adaPost}`)
  expect(await call(bob, 'DELETE', `/post/${ids.adaPost}`)).toEqual(refused('V26.07.22', 'NOT_FOUND'))
})

test('it disappears from its parent’s replies and their count', async () => {
  await call(ada, 'DELETE', `/reply/${ids.adaReply}`)
  const { body } = await call(ada, 'GET', `/post/${ids.bobPost}/replies/1`)
  expect(body).toEqual({ post: { ...posts.bobPost, reply_count: 0 }, replies: [] })
})

test('it disappears from its author’s posts', async () => {
  await call(ada, 'DELETE', `/post/${ids.adaPost}`)
  expect((await call(bob, 'GET', '/user/@ada/posts/1')).body).toEqual({ user: ids.ada, posts: [] })
})

test('its own replies remain, with a deleted parent', async () => {
  await call(ada, 'DELETE', `/reply/${ids.adaReply}`)
  const parent = { uuid: ids.adaReply, author: null, content: null, created_at: null, deleted: true }
  expect((await call(bob, 'GET', `/post/${ids.bobNested}`)).body).toEqual({ ...posts.bobNested, parent })
  expect(await call(bob, 'GET', `/reply/${ids.bobNested}`)).toMatchObject({
    status: 200,
    body: { parent: ids.adaReply },
  })
})

test('its replies can be edited, liked, replied to and deleted', async () => {
  const path = `/post/${ids.adaOrphan}`
  expect((await call(bob, 'POST', `${path}/like`)).body).toEqual({ action: 'liked', uuid: ids.adaOrphan })
  expect(await call(bob, 'POST', '/reply', { content: 'Hello', parent: ids.adaOrphan })).toMatchObject({ status: 200 })
  const { body } = await call(ada, 'PATCH', path, { content: 'Edited' })
  const edited = { ...posts.adaOrphan, content: 'Edited', like_count: 1, reply_count: 1 }
  expect(body).toEqual(edited)
  expect((await call(ada, 'DELETE', path)).body).toEqual(edited)
  expect(await wrongCounters(app.database)).toEqual([])
})

test('its row remains without its content and likes', async () => {
  await call(ada, 'DELETE', `/post/${ids.adaPost}`)
  const row = await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: ids.adaPost } })
  expect(row).toMatchObject({ content: '', likeCount: 0, deletedAt: expect.any(Date) })
  expect(await app.database.write.prisma.like.count({ where: { publicationId: ids.adaPost } })).toBe(0)
})

test('a reply can be deleted through either path', async () => {
  const { body } = await call(ada, 'DELETE', `/post/${ids.adaReply}`)
  expect(body).toEqual(posts.adaReply)
  expect(await wrongCounters(app.database)).toEqual([])
})
