import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { heldUp } from '../../support/database/locks.ts'
import { makeToken, revoke } from '../../support/graphql/access-tokens.ts'
import { password, personOf, signUp } from '../../support/graphql/sign-in.ts'

/** Two servers of one database, each with its own session cache. */
let here: TestApp
let there: TestApp
let ada: Person
let another: string
beforeAll(async () => {
  here = await startApp()
  there = await startApp({}, sharing(here))
  ada = personOf(await signUp(here, { username: 'ada' }))
  another = (await makeToken(here, ada.token)).id
})
afterAll(async () => {
  await there.close()
  await here.close()
})

const operations: readonly (readonly [string, () => string])[] = [
  [
    'changePassword',
    () => `(input: { currentPassword: "${password}", newPassword: "another good one" }) { viewer { uuid } }`,
  ],
  ['updateProfile', () => '(input: { username: "mine_now", bio: "Mine now" }) { viewer { uuid } }'],
  ['createAccessToken', () => '(input: { name: "Survivor", scopes: [USER_GET] }) { token }'],
  ['revokeAccessToken', () => `(input: { id: "${another}" }) { accessToken { name } }`],
  ['createApplication', () => '(input: { name: "Survivor" }) { application { uuid } }'],
  ['revokeOtherTokens', () => ' { revokedCount }'],
]

const mutation = (name: string, rest: string) => `mutation { ${name}${rest} }`

/** All mutations by which a token changes its account. */
async function account() {
  const { user, accessToken, application } = here.database.write.prisma
  return {
    user: await user.findUniqueOrThrow({ where: { id: ada.id } }),
    tokens: await accessToken.findMany({ where: { userId: ada.id }, select: { id: true }, orderBy: { id: 'asc' } }),
    applications: await application.count(),
  }
}

/** A token that the other process still accepts. */
async function stolenToken() {
  const stolen = await makeToken(here, ada.token, { scopes: ['ACCOUNT_MANAGE', 'USER_GET'] })
  expect((await there.graphql(stolen.token, '{ viewer { username } }')).data).toEqual({ viewer: { username: 'ada' } })
  return { ...stolen, uuid: Buffer.from(stolen.id, 'base64').toString().slice('AccessToken:'.length) }
}

type Stolen = Awaited<ReturnType<typeof stolenToken>>

function expectUnauthenticated({ status, headers, errors, data }: Answer): void {
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  expect(data).toBeNull()
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toContain('Bearer realm="rookery", error="invalid_token"')
}

describe.each(operations)('%s', (name, rest) => {
  test('is refused for a token that another process has just revoked, or that has expired', async () => {
    const { accessToken } = here.database.write.prisma
    const endings = [
      ({ id }: Stolen) => revoke(here, ada.token, id),
      ({ uuid }: Stolen) => accessToken.update({ where: { id: uuid }, data: { expiresAt: new Date(Date.now() - 1) } }),
    ]
    for (const end of endings) {
      const stolen = await stolenToken()
      await end(stolen)
      const before = await account()
      expectUnauthenticated(await there.graphql(stolen.token, mutation(name, rest())))
      expect(await account()).toEqual(before)
    }
  })

  test('is refused for a token that is being revoked', async () => {
    const { token, uuid } = await stolenToken()
    const { user, applications } = await account()
    const [answer] = await heldUp(
      here.database,
      (transaction) => transaction.accessToken.delete({ where: { id: uuid } }),
      () => [there.graphql(token, mutation(name, rest()))],
    )
    if (!answer) throw new TypeError('Nothing was answered')
    expectUnauthenticated(answer)
    expect(await account()).toMatchObject({ user, applications })
  })
})

test('a failed sign-in reveals nothing about the token of its request', async () => {
  const document = 'mutation { signIn(input: { username: "ada", password: "wrong" }) { token } }'
  const { status, headers, errors } = await here.graphql(ada.token, document)
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }])
  expect([status, headers.get('www-authenticate')]).toEqual([200, null])
})
