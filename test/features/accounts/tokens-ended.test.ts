import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { TokenCache } from '../../../src/engine/auth/viewers.ts'
import { findViewer } from '../../../src/features/accounts/find-viewer.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { heldUp } from '../../support/database/locks.ts'
import { makeToken, revoke, statusesOf } from '../../support/graphql/access-tokens.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
})
afterAll(() => app.close())
afterEach(() => {
  vi.useRealTimers()
})

describe('a revoked token', () => {
  test('is refused immediately on both APIs, with a challenge', async () => {
    const { token, id } = await makeToken(app, ada.token, { name: 'Lost' })
    expect(await statusesOf(app, token)).toEqual([200, 200])
    expect((await revoke(app, ada.token, id)).data).toEqual({
      revokeAccessToken: { accessToken: { id, name: 'Lost' } },
    })
    expect(await statusesOf(app, token)).toEqual([401, 401])
    const { headers, errors } = await app.graphql(token, '{ viewer { uuid } }')
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect(await statusesOf(app, ada.token)).toEqual([200, 200])
  })

  test('can be the token in use', async () => {
    const { token, id } = await makeToken(app, ada.token, { scopes: ['ACCOUNT_MANAGE', 'USER_GET'] })
    expect(outcomeOf(await revoke(app, token, id))).toBe('DONE')
    expect(await statusesOf(app, token)).toEqual([401, 401])
  })

  test('is revoked once, even concurrently', async () => {
    const { id } = await makeToken(app, ada.token)
    const answers = Array.from({ length: 8 }, () => revoke(app, ada.token, id))
    expect(await outcomes(answers)).toEqual({ DONE: 1, NOT_FOUND: 7 })
  })

  test('must belong to the viewer: other tokens are not found and keep working', async () => {
    const grace = await app.person()
    const { token, id } = await makeToken(app, ada.token)
    expect(outcomeOf(await revoke(app, grace.token, id))).toBe('NOT_FOUND')
    expect(await statusesOf(app, token)).toEqual([200, 200])
    const document = 'query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }'
    expect((await app.graphql(grace.token, document, { id })).data).toEqual({ node: null, nodes: [null] })
    expect((await app.graphql(ada.token, document, { id })).data).toEqual({ node: { id }, nodes: [{ id }] })
  })

  test('requires the id of a token', async () => {
    const user = (await app.graphql(ada.token, '{ viewer { id } }')).data
    const { viewer } = z.object({ viewer: z.object({ id: z.string() }) }).parse(user)
    for (const id of [viewer.id, 'nonsense', '']) {
      expect((await revoke(app, ada.token, id)).errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'id' }] } },
      ])
    }
  })

  test('is refused by another process on the same database within a few seconds', async () => {
    const elsewhere = new TokenCache((token) => findViewer(app.database, token))
    const { token, id } = await makeToken(app, ada.token)
    expect(await elsewhere.of(token)).toMatchObject({ id: ada.id })
    await revoke(app, ada.token, id)
    letTimePass()
    await expect.poll(() => elsewhere.of(token)).toBeUndefined()
  })
})

describe('revoking all other tokens', () => {
  const revokeOthers = async (bearer: string) =>
    (await app.graphql(bearer, 'mutation { revokeOtherTokens { revokedCount } }')).data

  test('refuses them immediately, but neither the one in use nor those of other accounts', async () => {
    const [grace, other] = [await app.person(), await app.person()]
    const tokens = await Promise.all([1, 2, 3].map(() => app.token(grace, ['user.get'])))
    for (const token of tokens) expect(await statusesOf(app, token)).toEqual([200, 200])
    expect(await revokeOthers(grace.token)).toEqual({ revokeOtherTokens: { revokedCount: 3 } })
    for (const token of tokens) expect(await statusesOf(app, token)).toEqual([401, 401])
    for (const { token } of [grace, other]) expect(await statusesOf(app, token)).toEqual([200, 200])
    expect(await revokeOthers(grace.token)).toEqual({ revokeOtherTokens: { revokedCount: 0 } })
  })

  test('with two tokens at once leaves one of them', async () => {
    const grace = await app.person()
    const second = await app.token(grace, ['account.manage'])
    const answers = await Promise.all([revokeOthers(grace.token), revokeOthers(second)])
    expect(answers).toContainEqual({ revokeOtherTokens: { revokedCount: 1 } })
    expect(await app.database.write.prisma.accessToken.count({ where: { userId: grace.id } })).toBe(1)
  })

  test('during sign-ins leaves only the tokens of later ones', async () => {
    const grace = personOf(await signUp(app, { username: 'grace' }))
    const [before = new TypeError(), ...signedIn] = await heldUp(
      app.database,
      (transaction) => transaction.user.update({ where: { id: grace.id }, data: { bio: 'Held' } }),
      () => [
        revokeOthers(grace.token),
        signIn(app, 'grace').then(({ data }) => data),
        signIn(app, 'grace').then(({ data }) => data),
      ],
    )
    const { revokedCount } = z
      .object({ revokeOtherTokens: z.object({ revokedCount: z.int() }) })
      .parse(before).revokeOtherTokens
    const left = await app.database.write.prisma.accessToken.count({ where: { userId: grace.id } })
    expect(left).toBe(1 + signedIn.length - revokedCount)
  })
})

test('revoking a token does not fail concurrent lookups of other tokens', async () => {
  const viewers = new TokenCache((token) => findViewer(app.database, token))
  const lookedUp = viewers.of(ada.token)
  viewers.forget(ada.id)
  expect(await lookedUp).toMatchObject({ id: ada.id })

  const tokens = await Promise.all(Array.from({ length: 20 }, () => app.token(ada, ['user.get'])))
  const { id } = await makeToken(app, ada.token)
  const [revoked, ...answers] = await Promise.all([
    revoke(app, ada.token, id),
    ...tokens.map((token) => app.graphql(token, '{ viewer { uuid } }')),
  ])
  expect(revoked && outcomeOf(revoked)).toBe('DONE')
  for (const { status, data } of answers) expect([status, data]).toEqual([200, { viewer: { uuid: ada.id } }])
})

test('a token is refused on both APIs as soon as it expires', async () => {
  const gone = await app.token(ada, ['user.get'], { expiresAt: new Date(Date.now() - 1) })
  expect(await statusesOf(app, gone)).toEqual([401, 401])
  const expiresAt = new Date(Date.now() + 3_600_000)
  const going = await app.token(ada, ['user.get'], { expiresAt })
  expect(await statusesOf(app, going)).toEqual([200, 200])
  vi.useFakeTimers({ toFake: ['Date'], now: expiresAt.getTime() - 1 })
  expect(await statusesOf(app, going)).toEqual([200, 200])
  vi.setSystemTime(expiresAt)
  expect(await statusesOf(app, going)).toEqual([401, 401])
})
