import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../src/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { loom, posts } from '../support/documented-shapes.ts'
import { openapi } from '../support/openapi.ts'
import { readAnswer } from '../support/rest-answer.ts'
import { ids, settle } from '../support/small-network.ts'

const owner = { id: ids.ada, username: 'Ada', token: '' }
let app: TestApp
let ada: string
let bob: string
let fromLoom: string

beforeAll(async () => {
  app = await startApp()
})
beforeEach(async () => {
  await settle(app.database)
  ada = await app.token(owner, scopes)
  bob = await app.token({ id: ids.bob, username: 'bob', token: '' }, scopes)
  fromLoom = await app.token(owner, scopes, { applicationId: ids.loom })
})
afterAll(() => app.close())

const call = async (bearer: string, method: string, path: string, body?: unknown) =>
  readAnswer(await app.rest(bearer, method, path, body))
const editedAt = async (uuid: string) => (await app.graphql(ada, `{ post(uuid: "${uuid}") { editedAt } }`)).data

describe('an edit', () => {
  test('uses lock for replies and locked for posts', async () => {
    const both = { content: 'Edited', lock: false, locked: true }
    const reply = { ...posts.adaReply, content: 'Edited', locked: false }
    expect((await call(ada, 'PATCH', `/reply/${ids.adaReply}`, both)).body).toEqual({ uuid: ids.adaReply, reply })
    expect((await call(ada, 'PATCH', `/post/${ids.adaReply}`, both)).body).toEqual({ ...reply, locked: true })
  })

  test('sets the edit time, unless it is refused', async () => {
    expect(await editedAt(ids.adaPost)).toEqual({ post: { editedAt: null } })
    await call(bob, 'PATCH', `/post/${ids.adaPost}`, { content: 'Mine' })
    await call(ada, 'PATCH', `/post/${ids.adaPost}`, { content: '' })
    expect(await editedAt(ids.adaPost)).toEqual({ post: { editedAt: null } })
    await call(ada, 'PATCH', `/post/${ids.adaPost}`, { locked: false })
    expect(await editedAt(ids.adaPost)).toEqual({ post: { editedAt: expect.any(String) } })
  })

  test('does not change the application', async () => {
    const { body } = await call(ada, 'PATCH', `/post/${ids.adaPost}`, { content: 'Edited', from: null })
    expect(body).toMatchObject({ from: loom })
    const again = await call(fromLoom, 'PATCH', `/post/${ids.adaOrphan}`, { content: 'Edited' })
    expect(again.body).toMatchObject({ from: null })
  })
})

test('the example of the OpenAPI document can be sent as a post', async () => {
  const example = openapi.components.schemas.SendPostBody?.example
  expect(await call(ada, 'POST', '/post', example)).toMatchObject({ status: 200, body: { parent: null } })
})

test('an application without a website has a null website', async () => {
  const data = { id: ids.nothing, ownerId: ids.ada, name: 'Shuttle' }
  const { id } = await app.database.write.prisma.application.create({ data })
  const bearer = await app.token(owner, scopes, { applicationId: id })
  const { body } = await call(bearer, 'POST', '/post', { content: 'Hello' })
  expect(body).toMatchObject({ from: { uuid: id, name: 'Shuttle', website: null } })
})
