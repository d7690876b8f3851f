import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Scope } from '../../../src/engine/scopes.ts'
import { freeAttempts } from '../../../src/features/accounts/sign-in-limits.ts'
import { createEmailToken } from '../../../src/features/mail/links.ts'
import { admitting, budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf, tally } from '../../support/graphql/outcomes.ts'
import { password, signIn } from '../../support/graphql/sign-in.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let count = 0
beforeAll(async () => {
  app = await startApp({ mail: { signInNotice: false }, signInLimits: undefined })
})
afterAll(() => app.close())

const call = async (token: string | undefined, ...request: [string, string, unknown?, Record<string, string>?]) =>
  readAnswer(await app.rest(token, ...request))

const signedIn = z.object({
  token: z.string(),
  record: z.object({ uuid: z.string(), is_current: z.literal(true) }),
  user: z.object({ uuid: z.string(), username: z.string() }),
})

/** Signs up over REST, with another name each time. */
async function newcomer(): Promise<Person & { readonly record: string }> {
  count += 1
  const username = `newcomer_${count}`
  const { body } = await call(undefined, 'POST', '/user', { username, email: `${username}@example.org`, password })
  const { token, record, user } = signedIn.parse(body)
  return { ...user, id: user.uuid, token, record: record.uuid }
}

const statusOf = async (token: string) => (await app.rest(token, 'GET', '/user')).status
const refusalOf = async (...request: Parameters<typeof call>) => {
  const { status, body } = await call(...request)
  return { status, ...z.object({ code: z.string(), detail: z.string() }).loose().parse(body) }
}

describe('signing up and in', () => {
  test('gives tokens that work in both APIs, until they sign out', async () => {
    const person = await newcomer()
    expect(outcomeOf(await app.graphql(person.token, '{ viewer { uuid } }'))).toBe('DONE')
    const { body } = await call(undefined, 'POST', '/session', {
      username: person.username,
      password,
      device: 'Laptop',
    })
    const { token, user } = signedIn.parse(body)
    expect(user.uuid).toBe(person.id)
    expect(await call(token, 'DELETE', '/session')).toMatchObject({ status: 200, body: { name: 'Laptop' } })
    expect([await statusOf(token), await statusOf(person.token)]).toEqual([401, 200])
  })

  test('is never cached, stored or repeated, even with an Idempotency-Key', async () => {
    const { username, token } = await newcomer()
    const headers = { 'idempotency-key': 'sign-in', authorization: `Bearer ${token}` }
    const tokens = new Set<string>()
    for (let time = 0; time < 2; time += 1) {
      const response = await app.rest(undefined, 'POST', '/session', { username, password }, headers)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.has('idempotency-replayed')).toBe(false)
      tokens.add(signedIn.parse(await response.json()).token)
    }
    expect(tokens.size).toBe(2)
    expect(await app.database.write.prisma.idempotencyKey.count()).toBe(0)
  })

  test('ignores a token that is wrong', async () => {
    const { username } = await newcomer()
    for (const bearer of ['nonsense', `rookery_${'A'.repeat(43)}`])
      expect((await call(bearer, 'POST', '/session', { username, password })).status).toBe(200)
  })

  test('is refused in the same words as in GraphQL, whether the account exists or not', async () => {
    const { username } = await newcomer()
    const { errors } = await app.graphql(undefined, 'mutation ($in: SignInInput!) { signIn(input: $in) { token } }', {
      in: { username, password: 'not this one' },
    })
    const expected = { status: 403, code: 'INVALID_CREDENTIALS', detail: errors[0]?.message }
    for (const name of [username, 'nobody_here', ' ', ''])
      expect(
        await refusalOf(undefined, 'POST', '/session', { username: name, password: 'not this one' }),
      ).toMatchObject(expected)
    const { headers } = await call(undefined, 'POST', '/session', { username, password: '' })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  test('has to wait after wrong passwords, which count in both APIs together', async () => {
    const limited = await startApp({}, sharing(app))
    const { username } = await newcomer()
    const wrong = 'not this one'
    const overGraphQL = Array.from({ length: freeAttempts.account }, () => signIn(limited, username, wrong))
    expect(tally((await Promise.all(overGraphQL)).map(outcomeOf))).toEqual({
      INVALID_CREDENTIALS: freeAttempts.account,
    })
    const overRest = await Promise.all(
      Array.from({ length: 4 }, async () =>
        readAnswer(await limited.rest(undefined, 'POST', '/session', { username, password: wrong })),
      ),
    )
    expect(tally(overRest.map(({ status }) => String(status)))).toEqual({ 403: 1, 429: 3 })
    const { headers } = overRest.find(({ status }) => status === 429) ?? {}
    expect(Number(headers?.['retry-after'])).toBeGreaterThan(0)
    await limited.stop()
  })

  test('spends the budget of the address', async () => {
    const poor = await startApp({ budgets: budgets({ points: 1_500, seconds: 3_600 }) }, sharing(app))
    const { username } = await newcomer()
    const statuses: number[] = []
    while (!statuses.includes(429) && statuses.length < 10)
      statuses.push((await poor.rest(undefined, 'POST', '/session', { username, password })).status)
    expect([statuses.at(0), statuses.at(-1)]).toEqual([200, 429])
    await poor.stop()
  })

  test('is refused for a taken username, naming the field, and where sign-up is closed', async () => {
    const { username } = await newcomer()
    const account = { username: username.toUpperCase(), email: 'a@example.org', password }
    expect(await refusalOf(undefined, 'POST', '/user', account)).toMatchObject({
      status: 409,
      errors: [{ field: 'username' }],
    })
    const closed = await startApp(admitting({ signUp: 'closed' }), sharing(app))
    const answer = await readAnswer(await closed.rest(undefined, 'POST', '/user', { ...account, username: 'other' }))
    expect(answer).toMatchObject({ status: 403, body: { reason: 'SIGN_UP_CLOSED' } })
    await closed.stop()
  })

  test('names all fields that are wrong, as they were sent', async () => {
    const account = { username: 'a b', email: 'nowhere', password: 'short', display_name: ' ', device: 5 }
    const { body } = await call(undefined, 'POST', '/user', account)
    expect(
      z
        .object({ errors: z.array(z.object({ field: z.string() })) })
        .parse(body)
        .errors.map(({ field }) => field),
    ).toEqual(['email', 'device', 'display_name', 'password', 'username'])
  })

  test('cancels the deletion of the account', async () => {
    const { username, token } = await newcomer()
    expect((await call(token, 'DELETE', '/user', { password })).status).toBe(200)
    expect(await statusOf(token)).toBe(401)
    const { body } = await call(undefined, 'POST', '/session', { username, password })
    expect(await statusOf(signedIn.parse(body).token)).toBe(200)
  })

  test('works while the account is suspended, which then only reads itself', async () => {
    const { id, username } = await newcomer()
    await app.database.write.prisma.user.update({ where: { id }, data: { suspendedAt: new Date() } })
    const { body } = await call(undefined, 'POST', '/session', { username, password })
    const { token } = signedIn.parse(body)
    expect(body).toMatchObject({ user: { username } })
    expect(await call(token, 'GET', '/user')).toMatchObject({ status: 200, body: { username } })
    expect(await refusalOf(token, 'GET', '/notifications')).toMatchObject({ status: 403, code: 'ACCOUNT_SUSPENDED' })
  })
})

describe('tokens', () => {
  const create = (token: string, body: object) => call(token, 'POST', '/token', { name: 'Bot', ...body })
  const created = z.object({ token: z.string(), record: z.object({ uuid: z.string(), scopes: z.array(z.string()) }) })
  const listed = z.object({
    tokens: z.array(z.object({ uuid: z.string(), name: z.string(), is_current: z.boolean() })),
  })

  test('have the scopes and the expiry that were asked for, and are listed without their secret', async () => {
    const { token, record } = await newcomer()
    const wanted = { scopes: ['post.get', 'user.following.get'], expires_at: Math.floor(Date.now() / 1_000) + 3_600 }
    const { body } = await create(token, wanted)
    expect(body).toMatchObject({ record: { name: 'Bot', ...wanted, is_current: false } })
    const bot = created.parse(body)
    const list = await call(token, 'GET', '/token')
    expect(JSON.stringify(list.body)).not.toContain('rookery_')
    expect(listed.parse(list.body).tokens.map(({ uuid, is_current }) => [uuid, is_current])).toEqual([
      [bot.record.uuid, false],
      [record, true],
    ])
    expect(await refusalOf(bot.token, 'GET', '/token')).toMatchObject({ code: 'INSUFFICIENT_SCOPE' })
  })

  test('are listed in pages with a cursor', async () => {
    const { token } = await newcomer()
    for (let made = 0; made < 3; made += 1) await create(token, { scopes: ['post.get'] })
    const first = await call(token, 'GET', '/token?limit=3')
    const next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1] ?? ''
    const second = await call(token, 'GET', next)
    expect([first, second].map(({ body }) => listed.parse(body).tokens.length)).toEqual([3, 1])
    expect(second.headers).not.toHaveProperty('link')
  })

  test('cannot create what they do not have', async () => {
    const { token, id, username } = await newcomer()
    expect(await refusalOf(token, 'POST', '/token', { name: 'Bot', scopes: ['moderation.manage'] })).toMatchObject({
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
    })
    const short = await app.token({ id, username, token }, ['account.manage'], {
      expiresAt: new Date(Date.now() + 60_000),
    })
    expect(
      await refusalOf(short, 'POST', '/token', { name: 'Bot', scopes: ['account.manage'], expires_at: 4_102_444_800 }),
    ).toMatchObject({ status: 403, reason: 'LONGER_TOKEN' })
    const application = '019ab2c4-0000-7000-8000-0000000000ff'
    expect(await refusalOf(token, 'POST', '/token', { name: 'Bot', scopes: ['post.get'], application })).toMatchObject({
      status: 404,
      detail: 'There is no such application.',
    })
  })

  test('are revoked by their UUID, by their owner only', async () => {
    const [{ token }, stranger] = [await newcomer(), await newcomer()]
    const bot = created.parse((await create(token, { scopes: ['user.get'] })).body)
    const path = `/token/${bot.record.uuid.toUpperCase()}`
    expect(await refusalOf(stranger.token, 'DELETE', path)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await statusOf(bot.token)).toBe(200)
    expect(await call(token, 'DELETE', path)).toMatchObject({ status: 200, body: { uuid: bot.record.uuid } })
    expect(await statusOf(bot.token)).toBe(401)
    expect(await refusalOf(token, 'DELETE', path)).toMatchObject({
      code: 'NOT_FOUND',
      detail: 'There is no such access token.',
    })
  })

  test('sign out all others, and without any scope themselves', async () => {
    const { token, id, username } = await newcomer()
    const narrow: Scope[] = ['post.get']
    const bare = await app.token({ id, username, token }, narrow)
    expect(await refusalOf(bare, 'DELETE', '/session/others')).toMatchObject({ code: 'INSUFFICIENT_SCOPE' })
    expect((await call(bare, 'DELETE', '/session')).status).toBe(200)
    const others = await Promise.all(Array.from({ length: 3 }, () => app.token({ id, username, token }, narrow)))
    expect((await call(token, 'DELETE', '/session/others')).body).toEqual({ revoked_count: others.length })
    expect(await statusOf(token)).toBe(200)
    for (const other of others) expect((await app.rest(other, 'GET', '/timeline/public')).status).toBe(401)
  })
})

describe('passwords and addresses', () => {
  const linkOf = ({ id, username }: Person, kind: 'VERIFY' | 'RESET') =>
    createEmailToken(app.database.write.prisma, { kind, userId: id, email: `${username}@example.org` })

  test('a changed password ends the other tokens', async () => {
    const { token, id, username } = await newcomer()
    const other = await app.token({ id, username, token }, ['user.get'])
    const change = { current_password: password, new_password: 'another long password' }
    expect(await call(token, 'PUT', '/password', change)).toMatchObject({ status: 200, body: { uuid: id } })
    expect([await statusOf(token), await statusOf(other)]).toEqual([200, 401])
    expect(await refusalOf(token, 'PUT', '/password', change)).toMatchObject({
      status: 422,
      errors: [{ field: 'current_password', message: 'is wrong' }],
    })
  })

  test('a link sets a password once, and ends all tokens', async () => {
    const person = await newcomer()
    const reset = { token: await linkOf(person, 'RESET'), password: 'another long password' }
    expect((await call(undefined, 'POST', '/password/reset', reset)).body).toEqual({
      uuid: person.id,
      username: person.username,
    })
    expect(await statusOf(person.token)).toBe(401)
    const { status } = await call(undefined, 'POST', '/session', {
      username: person.username,
      password: reset.password,
    })
    expect(status).toBe(200)
    expect(await refusalOf(undefined, 'POST', '/password/reset', reset)).toMatchObject({
      status: 422,
      errors: [{ field: 'token' }],
    })
  })

  test('asking for a link tells nothing of accounts', async () => {
    const { username } = await newcomer()
    for (const email of [`${username}@example.org`, 'nobody@example.org'])
      expect(await call(undefined, 'POST', '/password/reset-request', { email })).toMatchObject({
        status: 200,
        body: { email },
      })
  })

  test('a link verifies an address, which only its owner sees', async () => {
    const person = await newcomer()
    const { body } = await call(undefined, 'POST', '/email/verify', { token: await linkOf(person, 'VERIFY') })
    expect(body).toEqual({ uuid: person.id, username: person.username })
    expect((await call(person.token, 'GET', '/user')).body).toMatchObject({ email_verified: true })
  })

  test('without e-mail, addresses cannot be changed', async () => {
    const silent = await startApp({}, sharing(app))
    const { token } = await newcomer()
    const change = { email: 'other@example.org', password }
    for (const [method, path, body] of [
      ['PUT', '/email', change],
      ['POST', '/password/reset-request', { email: 'other@example.org' }],
    ] as const)
      expect(await readAnswer(await silent.rest(token, method, path, body))).toMatchObject({
        status: 403,
        body: { reason: 'NO_EMAIL' },
      })
    await silent.stop()
  })
})
