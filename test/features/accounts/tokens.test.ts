import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { askForToken, makeApplication, makeToken, statusesOf } from '../../support/graphql/access-tokens.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { password, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
})
afterAll(() => app.close())

const hour = 3_600_000
const later = (hours: number) => new Date(Date.now() + hours * hour)
const tokensOf = ({ id: userId }: Person) => app.database.write.prisma.accessToken.count({ where: { userId } })
const refused = (field: string) => [
  { extensions: { code: 'VALIDATION_FAILED', errors: [{ field, message: expect.any(String) }] } },
]

describe('a new token', () => {
  test('has the requested name, scopes and expiry', async () => {
    const expiresAt = later(1).toISOString()
    const scopes = ['REPLY_GET', 'POST_GET']
    const { data, errors } = await askForToken(app, ada.token, { name: 'Reader 📖', scopes, expiresAt })
    expect(errors).toEqual([])
    expect(data).toEqual({
      createAccessToken: {
        token: expect.stringMatching(/^rookery_[\w-]{43}$/),
        accessToken: {
          id: expect.any(String),
          name: 'Reader 📖',
          scopes,
          expiresAt,
          createdAt: expect.any(String),
          lastUsedAt: null,
        },
      },
    })
  })

  test('never has a scope that its creator token lacks', async () => {
    const narrow = await app.token(ada, ['account.manage', 'post.get'])
    const before = await tokensOf(ada)
    const { data, errors } = await askForToken(app, narrow, { scopes: ['POST_GET', 'POST_SEND', 'USER_EMAIL'] })
    expect(data).toBeNull()
    expect(errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['POST_SEND', 'USER_EMAIL']] } },
    ])
    expect(await tokensOf(ada)).toBe(before)
    const { token } = await makeToken(app, narrow, { scopes: ['POST_GET', 'POST_GET', 'ACCOUNT_MANAGE'] })
    expect(outcomeOf(await askForToken(app, token, { scopes: ['POST_SEND'] }))).toBe('INSUFFICIENT_SCOPE')
    expect(outcomeOf(await askForToken(app, token, { scopes: ['POST_GET'] }))).toBe('DONE')
  })

  test('never outlives its creator token, and expires with it by default', async () => {
    const expiresAt = later(2)
    const short = await app.token(ada, ['account.manage', 'user.get'], { expiresAt })
    const before = await tokensOf(ada)
    const beyond = await askForToken(app, short, { expiresAt: new Date(expiresAt.getTime() + 1).toISOString() })
    expect(outcomeOf(beyond)).toBe('FORBIDDEN')
    expect(await tokensOf(ada)).toBe(before)
    for (const input of [{}, { expiresAt: null }, { expiresAt: expiresAt.toISOString() }]) {
      const { data } = await askForToken(app, short, input)
      expect(data).toMatchObject({ createAccessToken: { accessToken: { expiresAt: expiresAt.toISOString() } } })
    }
    const sooner = later(1).toISOString()
    expect((await askForToken(app, short, { expiresAt: sooner })).data).toMatchObject({
      createAccessToken: { accessToken: { expiresAt: sooner } },
    })
  })

  test('can expire at the last time that RFC 3339 can write', async () => {
    const { id } = await makeToken(app, ada.token, { expiresAt: '9999-12-31T22:59:59.999-01:00' })
    const document = 'query ($id: ID!) { node(id: $id) { ... on AccessToken { expiresAt } } }'
    const { data } = await app.graphql(ada.token, document, { id })
    expect(data).toEqual({ node: { expiresAt: '9999-12-31T23:59:59.999Z' } })
  })

  test.each([
    { input: { name: '' }, field: 'name' },
    { input: { name: 'x'.repeat(51) }, field: 'name' },
    { input: { name: '\u200b\u00ad' }, field: 'name' },
    { input: { name: 'a\u200f' }, field: 'name' },
    { input: { scopes: [] }, field: 'scopes' },
    { input: { expiresAt: '2020-01-01T00:00:00.000Z' }, field: 'expiresAt' },
    { input: { expiresAt: '0001-01-01T00:00:00.000Z' }, field: 'expiresAt' },
  ])('is refused for $input', async ({ input, field }) => {
    const before = await tokensOf(ada)
    const { data, errors } = await askForToken(app, ada.token, input)
    expect(data).toBeNull()
    expect(errors).toMatchObject(refused(field))
    expect(await tokensOf(ada)).toBe(before)
  })
})

test('the list of tokens says which one is in use, where it is from, and when it was last used', async () => {
  const grace = await app.person()
  const application = await makeApplication(app, grace.token, { name: 'Reader' })
  const { token, id } = await makeToken(app, grace.token, { scopes: ['ACCOUNT_MANAGE'], application })
  const list = async (bearer: string) =>
    (await app.graphql(bearer, '{ accessTokens { nodes { id isCurrent lastUsedAt application { name } } } }')).data
  const used = expect.any(String)
  const made = { id, application: { name: 'Reader' } }
  const first = { id: expect.any(String), application: null, lastUsedAt: used }
  expect(await list(grace.token)).toEqual({
    accessTokens: {
      nodes: [
        { ...made, isCurrent: false, lastUsedAt: null },
        { ...first, isCurrent: true },
      ],
    },
  })
  expect(await list(token)).toEqual({
    accessTokens: {
      nodes: [
        { ...made, isCurrent: true, lastUsedAt: used },
        { ...first, isCurrent: false },
      ],
    },
  })
})

test('after signing in, the new token is the one in use, whatever token the request has', async () => {
  await signUp(app, { username: 'hedy' })
  const { data } = await app.graphql(
    ada.token,
    'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken { isCurrent } viewer { username } } }',
    { input: { username: 'hedy', password } },
  )
  expect(data).toEqual({ signIn: { accessToken: { isCurrent: true }, viewer: { username: 'hedy' } } })
})

describe('the stored token', () => {
  test('is its SHA-256, never the token', async () => {
    const { token } = await makeToken(app, ada.token)
    const hash = Uint8Array.from(createHash('sha256').update(token).digest())
    expect(await app.database.write.prisma.accessToken.findUnique({ where: { hash } })).toMatchObject({ name: 'Made' })
    const all: unknown[] = await app.database.write.prisma.$queryRaw`select t::text as row from access_tokens t`
    expect(JSON.stringify(all)).not.toContain(token)
    expect(JSON.stringify(all)).not.toContain(token.slice('rookery_'.length))
    expect(JSON.stringify(app.lines)).not.toContain(token)
  })

  test('has the time of its last use', async () => {
    const start = Date.now()
    const { token, id } = await makeToken(app, ada.token)
    const read = async () =>
      (await app.graphql(ada.token, 'query ($id: ID!) { node(id: $id) { ... on AccessToken { lastUsedAt } } }', { id }))
        .data
    expect(await read()).toEqual({ node: { lastUsedAt: null } })
    expect(await statusesOf(app, token)).toEqual([200, 200])
    expect(await read()).toEqual({ node: { lastUsedAt: expect.any(String) } })
    const { lastUsedAt } = await app.database.write.prisma.accessToken.findFirstOrThrow({
      where: { userId: ada.id },
      orderBy: { id: 'desc' },
    })
    expect(lastUsedAt?.getTime()).toBeGreaterThanOrEqual(start)
  })
})

describe('the limit of a thousand active tokens', () => {
  const fill = (userId: string, count: number, expiresAt: Date | null) => app.database.write.prisma.$executeRaw`
    insert into access_tokens (id, hash, name, scopes, user_id, expires_at)
    select gen_random_uuid(), sha256(convert_to(n || ${userId}::text || ${expiresAt === null}::text, 'UTF8')), 'Filler',
      '{user.get}', ${userId}::uuid, ${expiresAt}::timestamptz
    from generate_series(1, ${count}::int) n`

  test('holds when tokens are created concurrently', async () => {
    const grace = await app.person()
    await fill(grace.id, 995, null)
    const answers = await Promise.all(Array.from({ length: 12 }, () => askForToken(app, grace.token, {})))
    expect(answers.map(outcomeOf).toSorted()).toEqual([
      ...Array.from({ length: 8 }, () => 'CONFLICT'),
      ...Array.from({ length: 4 }, () => 'DONE'),
    ])
    expect(await tokensOf(grace)).toBe(1000)
  })

  test('ignores expired tokens and those of other accounts', async () => {
    const [grace, other] = [await app.person(), await app.person()]
    await fill(grace.id, 999, new Date(Date.now() - hour))
    await fill(other.id, 999, null)
    expect(outcomeOf(await askForToken(app, grace.token, {}))).toBe('DONE')
    expect(outcomeOf(await askForToken(app, other.token, {}))).toBe('CONFLICT')
  })
})
