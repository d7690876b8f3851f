import * as oauth from 'openid-client'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password } from '../../support/graphql/sign-in.ts'
import { OAuthBrowser } from '../../support/oauth/browser.ts'
import { authorize, type Flow } from '../../support/oauth/client.ts'
import { hashOf } from '../../support/passwords.ts'
import { type CommandDatabase, commandDatabase } from '../../support/processes/command-database.ts'
import { endProcesses, runRookery, startRookery } from '../../support/processes/rookery-process.ts'

const redirect = 'https://app.example/back'
const clientIds = Array.from({ length: 12 }, () => newId())

let database: CommandDatabase
beforeAll(async () => {
  database = await commandDatabase()
  await runRookery(['migrate'], database.env)
  await database.use(async ({ write: { prisma } }) => {
    const [ownerId, passwordHash] = [newId(), await hashOf(password)]
    const account = { username: 'robin', displayName: 'Robin', email: 'robin@example.org', passwordHash }
    await prisma.user.create({ data: { id: ownerId, ...account } })
    const data = clientIds.map((id) => ({ id, ownerId, name: 'Client', redirectUris: [redirect] }))
    await prisma.application.createMany({ data })
  })
})
afterAll(async () => {
  await endProcesses()
  await database.remove()
})

/** What a request came to: tokens, a refusal, or nothing where the process was killed. */
const outcomeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'tokens',
    (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : 'lost'),
  )

/** Each client exchanges two codes, refreshes and revokes at the same time. */
async function begin(flows: readonly Flow[]): Promise<Promise<string>[]> {
  const tokens = await Promise.all(flows.map(({ exchange }) => exchange()))
  return flows.flatMap(({ config }, nth) => {
    const { refresh_token = '', access_token = '' } = tokens[nth] ?? {}
    const isRevoked = nth % 2 === 1
    const refresh = oauth.refreshTokenGrant(config, refresh_token)
    return [refresh, ...(isRevoked ? [oauth.tokenRevocation(config, access_token)] : [])].map(outcomeOf)
  })
}

test.each([1, 5, 9])('a process killed after %i answers leaves no token without its authorization', async (answers) => {
  const server = await startRookery(database.env)
  const browser = new OAuthBrowser(server.origin)
  const flowsOf = async () => {
    const flows = []
    for (const id of clientIds) flows.push(await authorize(server, id, 'robin', { browser, redirect }))
    return flows
  }
  const codes = await flowsOf()
  const sent = await begin(await flowsOf())
  sent.push(...codes.map(({ exchange }) => outcomeOf(exchange())))
  let answered = 0
  await new Promise<void>((done) => {
    for (const request of sent)
      request.then((outcome) => {
        // A refresh can be refused first, because its authorization is revoked at the same time.
        if (outcome === 'tokens') answered += 1
        if (answered === answers) done()
      })
  })
  server.signal('SIGKILL')
  await server.ended
  const outcomes = await Promise.all(sent)
  expect(outcomes).toEqual(expect.arrayContaining(['tokens', 'lost']))
  await database.use(async ({ write: { prisma } }) => {
    expect(await prisma.accessToken.count({ where: { grantId: null } })).toBe(0)
    const kinds = ['RefreshToken', 'AuthorizationCode']
    expect(await prisma.oauthRecord.count({ where: { grantId: null, kind: { in: kinds } } })).toBe(0)
    expect(await prisma.accessToken.count()).toBeGreaterThan(0)
    await prisma.oauthGrant.deleteMany()
    expect([
      await prisma.accessToken.count(),
      await prisma.oauthRecord.count({ where: { kind: { in: kinds } } }),
    ]).toEqual([0, 0])
  })
})
