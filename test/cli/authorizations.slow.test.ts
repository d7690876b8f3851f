import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { authorize, fixedClient, personWithPassword } from '../support/oauth/client.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { runRookery } from '../support/processes/rookery-process.ts'

let database: CommandDatabase
let app: TestApp
let robin: Person
beforeAll(async () => {
  database = await commandDatabase()
  await runRookery(['migrate'], database.env)
  app = await database.serve()
  robin = await personWithPassword(app, 'robin')
})
afterAll(async () => {
  await app.close()
  await database.remove()
})

const run = (...args: string[]) => runCommand(['authorization', ...args], database.env)

test('operators list the applications that are connected to an account, and disconnect them', async () => {
  const clients = [await fixedClient(app, robin, { name: 'First' }), await fixedClient(app, robin, { name: 'Second' })]
  const tokens: string[] = []
  for (const client of clients) tokens.push((await (await authorize(app, client, 'robin')).exchange()).access_token)
  const listed = JSON.parse((await run('list', 'robin', '--json')).stdout)
  const [second, first] = listed.authorizations
  expect(second).toMatchObject({ name: 'Second', clientId: clients[1], scopes: ['post.get', 'user.get'] })
  const { stdout } = await run('list', 'robin', '--limit', '1')
  expect(stdout).toContain('Second')
  expect(stdout).not.toContain('First')

  const missing = await run('revoke', first.uuid, robin.id)
  expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('authorization') })
  expect(await run('revoke', first.uuid)).toEqual({ code: 0, stdout: 'Authorizations revoked: 1.\n', stderr: '' })
  const statuses = async () =>
    Promise.all(tokens.map(async (token) => (await app.graphql(token, '{ viewer { uuid } }')).status))
  await expect.poll(statuses, { timeout: 10_000, interval: 500 }).toEqual([401, 200])
})

test('operators list all applications, with who vouches for them and whether they are refused', async () => {
  const list = async (...args: string[]) => runCommand(['application', 'list', ...args], database.env)
  const { prisma } = app.database.write
  await prisma.application.deleteMany()
  const ids = ['019ab2c4-0000-7000-8000-000000000001', '019ab2c4-0000-7000-8000-000000000002'] as const
  const far = { clientId: 'https://far.example/client', host: 'far.example', name: 'Far\naway' }
  await prisma.application.create({ data: { id: ids[0], ...far } })
  const redirectUris = ['http://127.0.0.1/callback']
  await prisma.application.create({ data: { id: ids[1], ownerId: robin.id, name: 'Near', redirectUris } })
  await (await authorize(app, ids[1], 'robin')).exchange()
  await runCommand(['application', 'refuse', 'far.example'], database.env)
  const createdAt = expect.stringMatching(/^\d{4}-/)
  const near = { uuid: ids[1], name: 'Near', clientId: ids[1], owner: 'robin', host: null, refused: false }
  const refused = { uuid: ids[0], ...far, owner: null, refused: true, createdAt, lastUsedAt: null }
  expect(JSON.parse((await list('--json')).stdout)).toEqual({
    applications: [{ ...near, createdAt, lastUsedAt: createdAt }, refused],
    next: null,
  })
  const { stdout } = await list('--limit', '1')
  expect(stdout).toMatch(/^UUID +CREATED +LAST USED +STATE +BY +NAME\n\S+ +\S+ \S+ +\S+ \S+ +admitted +robin +Near\n/)
  const next = await list('--after', ids[1])
  expect(next.stdout).toMatch(/ never +refused +far\.example +Far away\n/)
})
