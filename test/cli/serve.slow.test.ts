import { readFile } from 'node:fs/promises'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutPassword } from '../../src/engine/data/database-url.ts'
import { onPostgres } from '../support/database.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'

let database: CommandDatabase
beforeAll(async () => {
  database = await commandDatabase()
})
afterAll(async () => {
  await endProcesses()
  await database.remove()
})

test('every signal that would end it stops the server, and none opens the inspector', async () => {
  const server = await startRookery({ ...database.env, DEMO: 'off', STOP_DELAY: '1' })
  server.signal('SIGUSR1')
  const readiness = async () => (await fetch(`${server.origin}/health/ready`)).status
  expect(await readiness()).toBe(200)
  // As when a terminal closes, which sends some of them twice.
  for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGHUP'] as const) server.signal(signal)
  await expect.poll(readiness).toBe(503)
  const { code, stderr } = await server.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Debugger') })
})

test('serve says what it offers, logs once what it is, and why a demo that others can reach has no token', async () => {
  const { env } = database
  // With an account, there is no demo network to create.
  const person = { id: newId(), username: 'ada', displayName: 'Ada', email: 'ada@example.org' }
  await database.use(({ write: { prisma } }) => prisma.user.create({ data: person }))
  const server = await startRookery({
    ...env,
    DEMO: 'on',
    HOST: '0.0.0.0',
    SIGN_UP: 'closed',
    GRAPHIQL: 'off',
    BASE_PATH: '/social',
  })
  server.signal('SIGTERM')
  const { stdout, stderr } = await server.ended
  const lines: unknown[] = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'))
  const at = onPostgres ? { server: withoutPassword(env.DATABASE_URL ?? '') } : { embedded: env.DATA_DIR }
  const serving = {
    msg: 'serving',
    level: 30,
    origin: new URL(server.origin).origin,
    version,
    database: at,
    signUp: 'closed',
  }
  expect(lines.filter((line) => JSON.stringify(line).includes('"serving"'))).toMatchObject([serving])
  const why = /There is no demo token: HOST is 0\.0\.0\.0, .*\n.*rookery token create ada/
  if (onPostgres) expect(stdout).not.toMatch(/demo/)
  else expect(stdout).toMatch(why)
  expect(server.token).toBe('')
  expect(stdout).toMatch(/^ {2}Open +http:\/\/0\.0\.0\.0:\d+\/social\/$/m)
  expect(stdout).not.toContain('GraphiQL')
})
