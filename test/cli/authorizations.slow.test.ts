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
