import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { ConfigError, readConfig } from '../../../src/server/config.ts'
import { startApp } from '../../support/app.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'
import { runRookery } from '../../support/processes/rookery-process.ts'

// PgBouncer itself is in `test/faults/deployment.slow.test.ts`.
describe.runIf(onPostgres)('with pgbouncer=true', () => {
  let url: string
  let name: string
  let drop: () => Promise<void>
  let admin: pg.Client
  beforeEach(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    url = `${server.url}?pgbouncer=true`
    name = new URL(url).pathname.slice(1)
    admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
  })
  afterEach(async () => {
    await admin.end()
    await drop()
  })

  const doctor = async (parameters = '') =>
    (await runCommand(['doctor'], { DATABASE_URL: url + parameters, PORT: '0' })).stdout

  /** Runs the statements that the doctor prints, and returns them. */
  async function followAdvice(parameters?: string): Promise<string> {
    const statements = /(?:CREATE|ALTER) .*;$/m.exec(await doctor(parameters))?.[0] ?? ''
    await admin.query(statements)
    return statements
  }

  test('the doctor and the server name the settings that the database lacks', async () => {
    await admin.query(`ALTER DATABASE ${name} SET timezone = 'Asia/Kathmandu'`)
    await admin.query(`ALTER DATABASE ${name} SET jit = off`)
    await admin.query(`ALTER DATABASE ${name} SET array_nulls = off`)
    const { code, stderr } = await runRookery(['serve'], { DATABASE_URL: url, PORT: '0' })
    expect(code).toBe(4)
    const statements = await followAdvice()
    expect(stderr).toContain(`${statements}\n`)
    for (const setting of ["TimeZone = 'UTC'", "statement_timeout = '3000'", "array_nulls = 'on'"])
      expect(statements).toContain(`ALTER DATABASE ${name} SET ${setting};`)
    expect(statements).not.toMatch(/jit|search_path/)
    expect(await doctor()).toContain('Everything is fine.')
  })

  test('the search path must begin with the schema', async () => {
    const statements = await followAdvice('&schema=Other%20one')
    expect(statements).toContain('CREATE SCHEMA IF NOT EXISTS "Other one";')
    expect(await doctor('&schema=Other%20one')).toMatch(/in the schema Other one\.\n[\s\S]*Everything is fine/)
  })

  test('nothing outlasts a transaction', async () => {
    await followAdvice()
    const app = await startApp({}, (log) => openDatabase({ kind: 'server', url, poolSize: 1, opener: 'server' }, log))
    const ada = await app.person('ada')
    const post = await publish(app, ada)
    for (let time = 0; time < 3; time += 1) {
      expect((await app.rest(ada.token, 'POST', `/post/${post}/like`)).status).toBe(200)
      expect(await app.graphql(ada.token, '{ homeTimeline { nodes { content } } }')).toMatchObject({ errors: [] })
    }
    const left = `SELECT name FROM pg_prepared_statements
      UNION SELECT name FROM pg_settings WHERE source = 'session'`
    expect(await app.database.write.prisma.$queryRawUnsafe(left)).toEqual([])
    expect(await app.database.write.run({ text: left, values: [], lockKey: undefined })).toEqual([])
    expect(await app.database.runReserved(left, [])).toEqual([])
    await app.close()
  })
})

test('pgbouncer is true or false', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://one/rookery?pgbouncer=yes' })).toThrow(
    new ConfigError('DATABASE_URL is invalid; it must be a URL with a pgbouncer of true or false.'),
  )
})
