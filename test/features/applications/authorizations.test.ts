import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/engine/data/ids.ts'
import { authorizationDays, authorizationsOfApplication } from '../../../src/features/applications/authorizations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { authorize, type Flow, type FlowOptions, fixedClient, personWithPassword } from '../../support/oauth/client.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

const redirect = 'https://app.example/back'

let app: TestApp
let robin: Person
let clientId: string

beforeAll(async () => {
  app = await startApp()
  robin = await app.person('robin')
  clientId = await fixedClient(app, robin, { name: 'Notes', redirectUris: [redirect] })
})
afterAll(() => app.close())

/** A person who has connected an application on some devices. */
async function connected(count: number, options: FlowOptions = {}) {
  const person = await personWithPassword(app)
  const devices: { flow: Flow; tokens: oauth.TokenEndpointResponse }[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const flow = await authorize(app, clientId, person.username, { redirect, ...options })
    devices.push({ flow, tokens: await flow.exchange() })
  }
  return { person, devices }
}

type Device = Awaited<ReturnType<typeof connected>>['devices'][number]

/** Whether each device can use and refresh its tokens. */
const statesOf = (devices: readonly Device[]) =>
  Promise.all(
    devices.map(async ({ flow: { config }, tokens }) => {
      const { status } = await app.graphql(tokens.access_token, '{ viewer { username } }')
      return [status, await refusalOf(oauth.refreshTokenGrant(config, tokens.refresh_token ?? ''))]
    }),
  )
const works = [200, 'none']
const ended = [401, 'invalid_grant']

const grantsOf = ({ id: userId }: Person) =>
  app.database.write.prisma.oauthGrant.findMany({ where: { userId }, orderBy: { id: 'asc' } })

const list = '{ authorizations { nodes { id application { uuid } } } }'

describe('an authorization on one device', () => {
  test('ends by a revoked token without those of other devices', async () => {
    const { devices } = await connected(3)
    const [first, second] = devices
    if (!first || !second) throw new TypeError('nothing is connected')
    await oauth.tokenRevocation(first.flow.config, first.tokens.access_token)
    await oauth.tokenRevocation(second.flow.config, second.tokens.refresh_token ?? '')
    expect(await statesOf(devices)).toEqual([ended, ended, works])
  })

  test('ends by a replayed code, or a replayed refresh token, without those of other devices', async () => {
    const { devices } = await connected(3)
    const [first, second] = devices
    if (!first || !second) throw new TypeError('nothing is connected')
    await oauth.refreshTokenGrant(second.flow.config, second.tokens.refresh_token ?? '')
    await app.database.write.prisma
      .$executeRaw`update oauth_records set consumed_at = consumed_at - interval '11 seconds'`
    expect(await refusalOf(first.flow.exchange())).toBe('invalid_grant')
    expect(await refusalOf(oauth.refreshTokenGrant(second.flow.config, second.tokens.refresh_token ?? ''))).toBe(
      'invalid_grant',
    )
    expect(await statesOf(devices)).toEqual([ended, ended, works])
  })

  test('begins without a question in a browser where the application is allowed, with what it asks for', async () => {
    const browser = new OAuthBrowser(app.origin)
    const { person, devices } = await connected(2, { browser })
    const narrow = await authorize(app, clientId, person.username, { redirect, browser, scope: 'post.get' })
    expect([...devices.map(({ flow }) => flow), narrow].map(({ pages }) => pages.length)).toEqual([2, 0, 0])
    expect((await grantsOf(person)).map(({ scopes }) => scopes)).toEqual([
      ['post.get', 'user.get'],
      ['post.get', 'user.get'],
      ['post.get'],
    ])
    expect((await narrow.exchange()).scope).toBe('post.get')
  })

  test('is listed in GraphQL, which ends one or all', async () => {
    const { person, devices } = await connected(3)
    const nodes = Object((await app.graphql(person.token, list)).data).authorizations.nodes
    expect(nodes.map(({ application }: { application: { uuid: string } }) => application.uuid)).toEqual(
      Array(3).fill(clientId),
    )
    const revoke = 'mutation ($id: ID!) { revokeAuthorization(input: { id: $id }) { authorization { id } } }'
    expect((await app.graphql(person.token, revoke, { id: nodes[0].id })).errors).toEqual([])
    expect(await statesOf(devices)).toEqual([works, works, ended])
    const disconnect = 'mutation ($uuid: UUID!) { disconnectApplication(input: { uuid: $uuid }) { revokedCount } }'
    for (const revokedCount of [2, 0])
      expect((await app.graphql(person.token, disconnect, { uuid: clientId })).data).toEqual({
        disconnectApplication: { revokedCount },
      })
    expect(await statesOf(devices.slice(0, 2))).toEqual([ended, ended])
  })

  test('is listed on the page of connections, which ends one or all', async () => {
    const { person, devices } = await connected(3)
    const [, , newest] = await grantsOf(person)
    const browser = new OAuthBrowser(app.origin)
    const signIn = await browser.open(`${app.origin}/oauth/connections`)
    const page = await browser.submit(signIn, { username: person.username, password })
    expect([page.text.match(/<h2>Notes<\/h2>/g), page.text.match(/name="disconnect"/g)?.length]).toEqual([
      ['<h2>Notes</h2>'],
      3,
    ])
    const after = await browser.submit(page, { disconnect: newest?.id ?? '' })
    expect([headingOf(after), after.text.match(/name="disconnect"/g)?.length]).toEqual(['Connected applications', 2])
    expect(await statesOf(devices)).toEqual([works, works, ended])
    const empty = await browser.submit(after, { 'disconnect-all': clientId })
    expect(empty.text).toContain('No application is connected.')
    expect(await grantsOf(person)).toEqual([])
  })

  test('lives while it is used, and until its first token only as long as a code', async () => {
    const { person, devices } = await connected(1)
    const waiting = await authorize(app, clientId, person.username, { redirect })
    const { prisma } = app.database.write
    await prisma.oauthGrant.updateMany({
      where: { userId: person.id, lastUsedAt: { not: null } },
      data: { expiresAt: new Date(Date.now() + 60_000) },
    })
    expect(await statesOf(devices)).toEqual([works])
    const days = (await grantsOf(person)).map(({ expiresAt }) => (expiresAt.getTime() - Date.now()) / 86_400_000)
    expect(days).toEqual([expect.closeTo(authorizationDays, 2), expect.closeTo(0, 1)])
    await waiting.exchange()
    expect((await grantsOf(person))[1]?.expiresAt.getTime()).toBeGreaterThan(Date.now() + 86_400_000)
  })

  test('ends the one that was not used for longest where an application has the most, but not by an unused code', async () => {
    const { person, devices } = await connected(1)
    const more = Array.from({ length: authorizationsOfApplication - 1 }, () => newId())
    const row = { userId: person.id, applicationId: clientId, scopes: [], expiresAt: new Date(Date.now() + 60_000) }
    const data = more.map((id, nth) => ({ ...row, id, lastUsedAt: new Date((nth + 1) * 1_000) }))
    await app.database.write.prisma.oauthGrant.createMany({ data })
    const browser = new OAuthBrowser(app.origin)
    const unused = []
    for (let nth = 0; nth < 3; nth += 1)
      unused.push(await authorize(app, clientId, person.username, { redirect, browser }))
    expect(await grantsOf(person)).toHaveLength(authorizationsOfApplication + 3)
    await unused[0]?.exchange()
    const ids = (await grantsOf(person)).map(({ id }) => id)
    expect(ids.length).toBe(authorizationsOfApplication + 2)
    expect(more.filter((id) => !ids.includes(id))).toEqual([more[0]])
    expect(await statesOf(devices)).toEqual([works])
  })
})

test('a new password ends all authorizations, also while another one begins', async () => {
  const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { uuid } } }'
  for (let round = 0; round < 3; round += 1) {
    const browser = new OAuthBrowser(app.origin)
    const { person } = await connected(1, { browser })
    const input = { currentPassword: password, newPassword: `new ${password}` }
    const begin = () => authorize(app, clientId, person.username, { redirect, browser, answer: 'deny' })
    const [{ errors }] = await Promise.all([app.graphql(person.token, change, { input }), begin()])
    expect([errors, await grantsOf(person)]).toEqual([[], []])
  }
})
