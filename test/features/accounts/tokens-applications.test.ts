import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { askForToken, makeApplication, makeToken } from '../../support/graphql/access-tokens.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let grace: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const create = (token: string, input: object) =>
  app.graphql(
    token,
    'mutation ($input: CreateApplicationInput!) { createApplication(input: $input) { application { id uuid name website } } }',
    { input },
  )
const scopes = ['POST_GET', 'POST_SEND', 'REPLY_GET', 'REPLY_POST', 'ACCOUNT_MANAGE']
const rows = () => app.database.write.prisma.publication.count()

describe('an application', () => {
  test.each([
    ['https://example.org/client', 'https://example.org/client'],
    ['http://localhost:8080/', 'http://localhost:8080/'],
    [null, null],
  ])('can have the website %s', async (website, shown) => {
    const { data, errors } = await create(ada.token, { name: 'Client 📱', website })
    expect(errors).toEqual([])
    const application = { id: expect.any(String), uuid: expect.any(String), name: 'Client 📱', website: shown }
    expect(data).toEqual({ createApplication: { application } })
  })

  test.each([
    { input: { name: '' }, field: 'name' },
    { input: { name: 'x'.repeat(51) }, field: 'name' },
    { input: { name: '\u2060' }, field: 'name' },
    { input: { name: 'a\u061c' }, field: 'name' },
    { input: { name: 'Client', website: 'ftp://example.org/' }, field: 'website' },
    { input: { name: 'Client', website: 'javascript:alert(1)' }, field: 'website' },
    { input: { name: 'Client', website: 'https://bank.example@evil.example/' }, field: 'website' },
    { input: { name: 'Client', website: 'https://:bank.example@evil.example/' }, field: 'website' },
  ])('is refused for $input', async ({ input, field }) => {
    const before = await app.database.write.prisma.application.count()
    const { data, errors } = await create(ada.token, input)
    expect(data).toBeNull()
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field }] } }])
    expect(await app.database.write.prisma.application.count()).toBe(before)
  })
})

describe('a token of an application', () => {
  test('can be created by the owner of the application only', async () => {
    const [own, another] = [await makeApplication(app, ada.token), await makeApplication(app, grace.token)]
    expect(outcomeOf(await askForToken(app, ada.token, { application: own }))).toBe('DONE')
    for (const application of [another, '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50'])
      expect(outcomeOf(await askForToken(app, ada.token, { application }))).toBe('NOT_FOUND')
  })

  test('creates tokens of the same application only', async () => {
    const [own, second] = [await makeApplication(app, ada.token), await makeApplication(app, ada.token)]
    const { token } = await makeToken(app, ada.token, { scopes, application: own })
    const before = await app.database.write.prisma.accessToken.count()
    expect(outcomeOf(await askForToken(app, token, { scopes, application: second }))).toBe('FORBIDDEN')
    expect(await app.database.write.prisma.accessToken.count()).toBe(before)
    for (const application of [own, null, undefined]) {
      const made = await makeToken(app, token, { scopes, application })
      const uuid = await publish(app, made)
      const document = 'query ($uuid: UUID!) { post(uuid: $uuid) { from { uuid } } }'
      expect((await app.graphql(made.token, document, { uuid })).data).toEqual({ post: { from: { uuid: own } } })
    }
  })
})

describe('a publication sent with the token of an application', () => {
  const website = 'https://example.org/'
  let uuid: string
  let token: string
  beforeAll(async () => {
    uuid = await makeApplication(app, ada.token, { name: 'Nest', website })
    token = (await makeToken(app, ada.token, { scopes, application: uuid })).token
  })

  test('is from it over GraphQL, whether it is named or not', async () => {
    const from = { uuid, name: 'Nest', website }
    for (const given of [undefined, null, uuid, uuid.toUpperCase()]) {
      const post =
        'mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { from { uuid name website } } } }'
      expect((await app.graphql(token, post, { input: { content: 'Hello', from: given } })).data).toEqual({
        sendPost: { publication: { from } },
      })
      const reply =
        'mutation ($input: SendReplyInput!) { sendReply(input: $input) { reply { from { uuid name website } } } }'
      const parent = await publish(app, grace)
      expect((await app.graphql(token, reply, { input: { content: 'Yes', parent, from: given } })).data).toEqual({
        sendReply: { reply: { from } },
      })
    }
  })

  test('cannot be from another application, and without one from any', async () => {
    const another = await makeApplication(app, ada.token)
    const parent = await publish(app, grace)
    const before = await rows()
    for (const [bearer, from] of [
      [token, another],
      [token, '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50'],
      [ada.token, uuid],
    ] as const) {
      for (const mutation of [
        `sendPost(input: { content: "Hello", from: "${from}" }) { publication { uuid } }`,
        `sendPost(input: { content: "Hello", from: "${from}", parent: "${parent}" }) { publication { uuid } }`,
        `sendReply(input: { content: "Hello", from: "${from}", parent: "${parent}" }) { reply { uuid } }`,
      ])
        expect(outcomeOf(await app.graphql(bearer, `mutation { ${mutation} }`))).toBe('FORBIDDEN')
      for (const path of ['/post', '/reply']) {
        const response = await app.rest(bearer, 'POST', path, { content: 'Hello', parent, from })
        expect(response.status).toBe(403)
        expect(await response.json()).toMatchObject({ code: 'FORBIDDEN' })
      }
    }
    expect(await rows()).toBe(before)
  })
})
