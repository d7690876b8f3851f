import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/proxy.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'

const all = Number.MAX_SAFE_INTEGER
const problem = z.looseObject({ detail: z.string() })
/** Hints to other processes are answered whenever, and would be counted among the responses. */
const noHints = { give: async () => undefined, onEach: () => () => undefined }
const uuidIn = /[0-9a-f]{8}-[0-9a-f-]{27}/

describe.runIf(onPostgres)('a write whose result is lost', () => {
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
    app = await startApp({}, async (log) => ({
      ...(await openDatabase({ kind: 'server', url: proxy.url, poolSize: 4, opener: 'server' }, log)),
      hints: noHints,
    }))
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

  /** Does something while the responses of the database are lost, except for the first ones. */
  async function losing<T>(after: number, count: number, action: () => Promise<T>): Promise<T> {
    // The token has been looked up before.
    expect((await app.rest(ada.token, 'GET', '/user')).status).toBe(200)
    proxy.loseAnswers({ after, count })
    const result = await action()
    proxy.loseAnswers({ after: 0, count: 0 })
    return result
  }

  const unknown = { code: 'OUTCOME_UNKNOWN', status: 503 }

  test('has an unknown outcome in REST, with advice on what to read', async () => {
    const answer = await losing(0, all, () => app.rest(ada.token, 'POST', '/post', { content: 'Hello' }))
    const body = problem.parse(await answer.json())
    expect(body).toMatchObject(unknown)
    expect(answer.headers.get('retry-after')).toBeNull()
    const [uuid] = uuidIn.exec(String(Object(body).detail)) ?? []
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
  ])('has an unknown outcome in GraphQL: %s', async (_what, mutation, message) => {
    const answer = await losing(0, all, () => app.graphql(ada.token, `mutation { ${mutation()} }`))
    expect(answer).toMatchObject({
      status: 503,
      errors: [{ message: expect.stringMatching(message), extensions: { code: 'OUTCOME_UNKNOWN' } }],
    })
    expect(answer.headers.get('retry-after')).toBeNull()
  })

  test('succeeds if reading its result again works', async () => {
    const before = await app.database.write.prisma.publication.count()
    const answer = await losing(1, 1, () => app.rest(ada.token, 'POST', '/post', { content: 'Once' }))
    expect(answer.status).toBe(200)
    expect(await app.database.write.prisma.publication.count()).toBe(before + 1)
  })

  test('is reported as applied if only its result cannot be read', async () => {
    const answer = await losing(1, all, () => app.rest(ada.token, 'POST', '/post', { content: 'Done' }))
    const body = problem.parse(await answer.json())
    expect(body).toMatchObject({ ...unknown, detail: expect.stringMatching(/^This was done/) })
    const [uuid] = uuidIn.exec(String(Object(body).detail)) ?? []
    expect((await app.rest(ada.token, 'GET', `/post/${uuid}`)).status).toBe(200)
  })

  test('must not be retried if another write of the same request was applied', async () => {
    const send = (key: string) => `${key}: sendPost(input: { content: "Two" }) { publication { uuid } }`
    const both = `mutation { ${send('a')} ${send('b')} }`
    expect(await app.graphql(ada.token, both)).toMatchObject({ status: 200 })
    const answer = await losing(2, all, () => app.graphql(ada.token, both))
    expect(answer).toMatchObject({ status: 503, errors: [{ path: ['b'], extensions: { code: 'OUTCOME_UNKNOWN' } }] })
  })

  test.each([0, 1, 2, 3, 5, 8])(
    'can be sent again with its Idempotency-Key, when all results after the first %i are lost',
    async (after) => {
      const content = `Keyed ${after}`
      const posts = () => app.database.write.prisma.publication.count({ where: { content } })
      const send = () =>
        app.rest(ada.token, 'POST', '/post', { content }, { 'Idempotency-Key': content.replace(' ', '-') })
      const answer = await losing(after, all, send)
      const { code } = z.object({ code: z.string().optional() }).parse(await answer.json())
      if (code === 'UNAVAILABLE') {
        expect(answer.headers.get('retry-after')).not.toBeNull()
        expect(await posts()).toBe(0)
      } else if (answer.status !== 200) expect(code).toBe('OUTCOME_UNKNOWN')
      expect((await send()).status).toBe(200)
      expect(await posts()).toBe(1)
    },
  )
})
