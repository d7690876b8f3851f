import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/data/database.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { createServerDatabase, onPostgres } from '../support/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { publish } from '../support/publish.ts'

const all = Number.MAX_SAFE_INTEGER
const uuidIn = /[0-9a-f]{8}-[0-9a-f-]{27}/

describe.runIf(onPostgres)('a write whose answer is lost', () => {
  let app: TestApp
  let proxy: DatabaseProxy
  let drop: () => Promise<void>
  let ada: Person
  let bob: Person
  let post: string
  beforeAll(async () => {
    const database = await createServerDatabase()
    drop = database.drop
    proxy = await startDatabaseProxy(database.url)
    app = await startApp({}, (log) =>
      openDatabase({ kind: 'server', url: proxy.url, poolSize: 4, opener: 'server' }, log),
    )
    ada = await app.person('ada')
    bob = await app.person('bob')
    post = await publish(app, bob)
  })
  afterEach(() => proxy.loseAnswers({ after: 0, count: 0 }))
  afterAll(async () => {
    await app.close()
    await proxy.close()
    await drop()
  })

  /** Does something whose answers of the database are lost, except for the first ones. */
  async function losing<T>(after: number, count: number, action: () => Promise<T>): Promise<T> {
    // The token is looked up before.
    expect((await app.rest(ada.token, 'GET', '/user')).status).toBe(200)
    proxy.loseAnswers({ after, count })
    const result = await action()
    proxy.loseAnswers({ after: 0, count: 0 })
    return result
  }

  const unknown = { code: 'OUTCOME_UNKNOWN', status: 503 }

  test('is told by REST to be of unknown outcome, with what to read', async () => {
    const answer = await losing(0, all, () => app.rest(ada.token, 'POST', '/post', { content: 'Hello' }))
    const body = await answer.json()
    expect(body).toMatchObject(unknown)
    expect(answer.headers.get('retry-after')).toBeNull()
    const [uuid] = uuidIn.exec(body.detail) ?? []
    expect(await (await app.rest(ada.token, 'GET', `/post/${uuid}`)).json()).toMatchObject({ content: 'Hello' })
  })

  test.each([
    ['a post', () => 'sendPost(input: { content: "Hi" }) { publication { uuid } }', /read publication [0-9a-f-]{36}\./],
    [
      'a reply',
      () => `sendReply(input: { parent: "${post}", content: "Hi" }) { reply { uuid } }`,
      /read publication [0-9a-f-]{36}\./,
    ],
    [
      'a like',
      () => `toggleLike(input: { uuid: "${post}" }) { action }`,
      /check whether the viewer likes publication /,
    ],
    [
      'a follow',
      () => `toggleFollow(input: { uuid: "${bob.id}" }) { action }`,
      /check whether the viewer follows user /,
    ],
    ['a profile', () => 'updateProfile(input: { bio: "x" }) { viewer { uuid } }', /read the profile of the viewer\./],
    [
      'a token',
      () => 'createAccessToken(input: { name: "x", scopes: [USER_GET] }) { token }',
      /read the access tokens of the viewer\./,
    ],
    [
      'an application',
      () => 'createApplication(input: { name: "x" }) { application { uuid } }',
      /read the applications of/,
    ],
  ])('is told by GraphQL to be of unknown outcome: %s', async (_what, mutation, message) => {
    const answer = await losing(0, all, () => app.graphql(ada.token, `mutation { ${mutation()} }`))
    expect(answer).toMatchObject({
      status: 503,
      errors: [{ message: expect.stringMatching(message), extensions: { code: 'OUTCOME_UNKNOWN' } }],
    })
    expect(answer.headers.get('retry-after')).toBeNull()
  })

  test('is answered all the same where only its result has to be read again', async () => {
    const before = await app.database.read.publication.count()
    const answer = await losing(1, 1, () => app.rest(ada.token, 'POST', '/post', { content: 'Once' }))
    expect(answer.status).toBe(200)
    expect(await app.database.read.publication.count()).toBe(before + 1)
  })

  test('says that it was done where only its result cannot be read', async () => {
    const answer = await losing(1, all, () => app.rest(ada.token, 'POST', '/post', { content: 'Done' }))
    const body = await answer.json()
    expect(body).toMatchObject({ ...unknown, detail: expect.stringMatching(/^This was done/) })
    const [uuid] = uuidIn.exec(body.detail) ?? []
    expect((await app.rest(ada.token, 'GET', `/post/${uuid}`)).status).toBe(200)
  })

  test('is not told to be sent again where another of the same request was done', async () => {
    const send = (key: string) => `${key}: sendPost(input: { content: "Two" }) { publication { uuid } }`
    const both = `mutation { ${send('a')} ${send('b')} }`
    expect(await app.graphql(ada.token, both)).toMatchObject({ status: 200 })
    const answer = await losing(2, all, () => app.graphql(ada.token, both))
    expect(answer).toMatchObject({ status: 503, errors: [{ path: ['b'], extensions: { code: 'OUTCOME_UNKNOWN' } }] })
  })
})
