import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopes } from '../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { personOf, signIn, signUp } from '../support/graphql/sign-in.ts'
import { type RawRequest, sendRaw } from '../support/http/raw-request.ts'
import { ids, settle } from '../support/networks/small-network.ts'
import { operations } from '../support/rest/operations.ts'

const password = 'Pass "word" & ünïcode'
const nextPassword = 'Another <secret> pass/word'
const wrongPassword = 'A wrong \\ password?'
const shortPassword = 'sh0rt"'
const unknownToken = `rookery_${randomBytes(32).toString('base64url')}`

let app: TestApp
const secrets = new Set([password, nextPassword, wrongPassword, shortPassword, unknownToken])
/** The status lines, headers and bodies of all responses but those that issue a token. */
const answers: string[] = []

beforeAll(async () => {
  app = await startApp()
  await settle(app.database)
})
afterAll(() => app.close())

async function send(request: RawRequest): Promise<void> {
  const { status, headers, body } = await sendRaw(app.origin, request)
  answers.push(`${status} ${JSON.stringify(headers)} ${body}`)
}
const json = { 'content-type': 'application/json' }
const graphql = (query: string, variables: object, token?: string) =>
  send({
    method: 'POST',
    path: '/graphql',
    headers: json,
    pieces: [JSON.stringify({ query, variables })],
    ...(token !== undefined && { token }),
  })
const changePassword = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { uuid } } }'
const signInDocument = 'mutation ($input: SignInInput!) { signIn(input: $input) { viewer { uuid } } }'
const signUpDocument = 'mutation ($input: SignUpInput!) { signUp(input: $input) { viewer { uuid } } }'
const createToken =
  'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { accessToken { name } } }'

/** Requests of every kind with this token. */
async function sendEverything(token: string): Promise<void> {
  for (const { method, path, id = ids.adaPost, body } of operations) {
    const pieces = body === undefined ? {} : { headers: json, pieces: [JSON.stringify(body)] }
    await send({ method, path: `/api/v1${path(id)}`, token, ...pieces })
  }
  await graphql('{ viewer { username accessTokens: posts(first: 1) { nodes { uuid } } } }', {}, token)
  await graphql('{ accessTokens { nodes { name scopes } } }', {}, token)
  await graphql(createToken, { input: { name: 'Another', scopes: ['POST_GET'] } }, token)
  await graphql(changePassword, { input: { currentPassword: wrongPassword, newPassword: nextPassword } }, token)
  await graphql(changePassword, { input: { currentPassword: password, newPassword: shortPassword } }, token)
  for (const name of ['secrets_1', 'nobody_here', wrongPassword]) {
    for (const secret of [wrongPassword, shortPassword]) {
      await graphql(signInDocument, { input: { username: name, password: secret } })
    }
    const account = { username: name, email: 'ada@example.org', password: shortPassword }
    await graphql(signUpDocument, { input: account })
    await graphql(signUpDocument, { input: { ...account, password, email: 'x' } })
  }
  await graphql(signUpDocument, { input: { username: 'secrets_1', email: 'ada@example.org', password } })
  await graphql(`{ viewer { username } } # ${token}`, {}, token)
  const name = token.replaceAll('-', '_')
  secrets.add(name)
  await graphql(`query ${name} { viewer { username } }`, {}, token)
}

/** Requests that carry secrets where they do not belong. */
async function sendMisplaced(token: string): Promise<void> {
  for (const path of [
    '/',
    '/graphql',
    '/api/v1/docs',
    '/api/v1/user',
    `/api/v1/user/${token}`,
    `/${token}`,
    '/health/ready',
  ]) {
    await send({ method: 'GET', path: `${path}?token=${token}&access_token=${token}` })
    await send({ method: 'DELETE', path, token })
  }
  for (const authorization of [`Bearer ${token}x`, `Basic ${token}`, token, `Bearer ${token} ${token}`, 'Bearer x']) {
    await send({ method: 'GET', path: '/api/v1/user', headers: { authorization } })
    await send({
      method: 'POST',
      path: '/graphql',
      headers: { ...json, authorization },
      pieces: ['{"query":"{viewer{uuid}}"}'],
    })
  }
  for (const piece of [`{"password": "${wrongPassword}`, `{"query": "{ ${token} }"`, token]) {
    await send({ method: 'POST', path: '/graphql', headers: json, pieces: [piece], token })
    await send({ method: 'POST', path: '/api/v1/post', headers: json, pieces: [piece], token })
  }
  await send({ method: 'POST', path: '/api/v1/post', headers: { 'content-type': token }, pieces: ['{}'], token })
}

/** Every way in which a text may be written in a log or a response. */
const waysToWrite = (secret: string) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('hex'),
]

function expectNoSecrets(): void {
  const logged = app.lines.map((line) => JSON.stringify(line))
  expect(logged.length).toBeGreaterThan(100)
  expect(answers.length).toBeGreaterThan(100)
  for (const secret of secrets) {
    for (const way of waysToWrite(secret)) {
      expect(logged.filter((line) => line.includes(way))).toEqual([])
      expect(answers.filter((answer) => answer.includes(way))).toEqual([])
    }
  }
}

test('no log, response or header has a token or a password', { timeout: 300_000 }, async () => {
  const first = personOf(await signUp(app, { username: 'secrets_1', password }))
  const second = personOf(await signIn(app, 'secrets_1', password))
  const ada = await app.token({ id: ids.ada, username: 'Ada', token: '' }, scopes)
  const narrow = await app.token({ id: ids.ada, username: 'Ada', token: '' }, ['user.get'])
  for (const token of [first.token, second.token, ada, narrow]) secrets.add(token)
  for (const token of [ada, narrow, second.token, unknownToken]) await sendEverything(token)
  await sendMisplaced(ada)
  await sendMisplaced(unknownToken)
  await graphql(changePassword, { input: { currentPassword: password, newPassword: nextPassword } }, second.token)
  expectNoSecrets()

  // Errors of the database must not carry their values into the log either.
  for (const table of ['access_tokens', 'users', 'publications']) {
    await app.database.write.prisma.$executeRawUnsafe(`alter table ${table} rename to hidden`)
    await sendEverything(ada)
    await app.database.write.prisma.$executeRawUnsafe(`alter table hidden rename to ${table}`)
  }
  expect(app.lines.map(({ msg }) => msg)).toContain('unexpected error')
  expectNoSecrets()
})
