import { randomBytes, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkNode, nodeRange } from '../../src/cli/check.ts'
import { migrationsFolder, readMigrations } from '../../src/engine/data/migration-files.ts'
import { Authenticators } from '../../src/features/accounts/second-factor/authenticators.ts'
import { onPostgres } from '../support/database.ts'
import { appSecret } from '../support/graphql/second-factor.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { endProcesses, runRookery, startRookery } from '../support/processes/rookery-process.ts'

const status = z.enum(['ok', 'warning', 'problem'])
const check = z.strictObject({ name: z.string(), status, message: z.string(), advice: z.string().optional() })
const report = z.strictObject({ ok: z.boolean(), checks: z.array(check) })

/** The report of each check, and the exit code, which must match. */
async function doctor(env: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], { PORT: '0', ...env })
  expect(stderr).toBe('')
  const { ok, checks } = report.parse(JSON.parse(stdout))
  expect(ok).toBe(checks.every(({ status }) => status !== 'problem'))
  expect(code).toBe(ok ? 0 : 1)
  return new Map(checks.map(({ name, ...found }) => [name, found]))
}

const migrations = (await readMigrations(migrationsFolder)).map(({ name }) => name)
let database: CommandDatabase
let env: Record<string, string>
beforeAll(async () => {
  database = await commandDatabase()
  env = database.env
})
afterEach(endProcesses)
afterAll(() => database.remove())

describe('the doctor', { timeout: 300_000 }, () => {
  test('warns of a public URL that is not encrypted', async () => {
    expect((await doctor({ ...env, PUBLIC_URL: 'http://social.example' })).get('Public URL')).toMatchObject({
      status: 'warning',
    })
    for (const url of ['https://social.example', 'http://localhost:4000', 'http://127.0.0.1:4000/rookery'])
      expect((await doctor({ ...env, PUBLIC_URL: url })).get('Public URL')).toMatchObject({ status: 'ok' })
  })

  test('reports rules that cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rookery-rules-'))
    const file = join(folder, 'rules.md')
    const missing = (await doctor({ ...env, RULES_FILE: file })).get('Rules')
    expect(missing).toMatchObject({ status: 'problem', message: expect.stringContaining(`RULES_FILE is "${file}"`) })
    await writeFile(file, '# Rules')
    expect((await doctor({ ...env, RULES_FILE: file })).get('Rules')).toMatchObject({ status: 'ok' })
    await rm(folder, { recursive: true })
  })

  test('reports no problem before and after the first start', async () => {
    const before = await doctor(env)
    expect([...before.values()].filter(({ status }) => status !== 'ok')).toEqual([])
    expect((await runCommand(['migrate'], env)).code).toBe(0)
    const after = await doctor(env)
    expect(after.get('Migrations')).toEqual({
      status: 'ok',
      message: 'Every migration is applied.',
    })
  })

  test('warns of variables whose names are nearly right', async () => {
    const wrong = { SIGNUP: 'closed', ROOKERY_PORT: '1', data_dir: 'x' }
    const { stdout } = await runCommand(['doctor', '--json'], { PORT: '0', ...env, ...wrong, HOME: '/', POST: '1' })
    const found = report.parse(JSON.parse(stdout)).checks.filter(({ name }) => name === 'Variables')
    const warnings = { SIGNUP: 'SIGN_UP', ROOKERY_PORT: 'PORT', data_dir: 'DATA_DIR' }
    expect(found).toEqual(
      Object.entries(warnings).map(([name, meant]) => ({
        name: 'Variables',
        status: 'warning',
        message: `${name} has no effect.`,
        advice: `Did you mean ${meant}?`,
      })),
    )
  })

  test('says that everything is fine, also of a running server', async () => {
    const server = await startRookery(env)
    const told = await runRookery(['doctor'], env)
    expect({ ...told, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(told.stdout).toMatch(/^ok {7}Node\.js .*\n(ok {7}.{15} \S.*\n)+\nEverything is fine\.\n$/)
    server.signal('SIGTERM')
    await server.ended
  })
})

describe('the doctor on an embedded database', { timeout: 300_000 }, () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'rookery-doctor-'))
  })
  afterAll(() => rm(home, { recursive: true }))

  test.skipIf(onPostgres)('creates nothing, and reports a damaged database', async () => {
    await doctor({ DATA_DIR: join(home, 'none', 'at-all') })
    expect(await readdir(home)).toEqual([])
    const broken = join(home, 'broken')
    await cp(env.DATA_DIR ?? '', broken, { recursive: true })
    await writeFile(join(broken, 'database', 'PG_VERSION'), '9\n')
    expect((await doctor({ DATA_DIR: broken })).get('Database')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/is of PostgreSQL 9, and this Rookery embeds \d+\.$/),
      advice: expect.stringContaining('rookery user export'),
    })
    await rm(join(broken, 'database', 'PG_VERSION'))
    expect((await doctor({ DATA_DIR: broken })).get('Database')).toMatchObject({
      status: 'problem',
      advice: expect.stringContaining('Restore a backup'),
    })
  })

  test('reports invalid variables, an unreachable server and an unsupported Node.js version', async () => {
    const { code, stdout } = await runCommand(['doctor'], { ...env, PORT: 'x', DEMO: 'maybe' })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^problem +Configuration +PORT is "x".* DEMO is "maybe"/m)
    expect(stdout).toMatch(/^Problems: 1\. Warnings: 0\.$/m)
    const away = await doctor({ DATABASE_URL: 'postgres://ada:secret@127.0.0.1:1/x' })
    expect(away.get('Database')).toEqual({
      status: 'problem',
      message: expect.stringMatching(/postgres:\/\/ada@127\.0\.0\.1:1\/x: .*ECONNREFUSED/),
      advice: expect.stringContaining('Start PostgreSQL'),
    })
    const suits = (version: string) => checkNode(version).status === 'ok'
    const [supported, others] = [
      ['20.19.0', '20.20.1', '22.12.0', '22.22.3', '24.0.0', '25.1.0', '100.0.0'],
      ['18.20.8', '20.18.9', '21.7.3', '22.0.0', '22.11.0', '23.11.1'],
    ]
    expect([...supported, ...others].filter(suits)).toEqual(supported)
    for (const manifest of ['package.json', 'node_modules/@prisma/client/package.json']) {
      const { engines }: { engines: { node: string } } = JSON.parse(
        await readFile(new URL(`../../${manifest}`, import.meta.url), 'utf8'),
      )
      expect(engines.node).toBe(nodeRange)
    }
  })
})

describe.runIf(onPostgres)('the doctor on a PostgreSQL server', { timeout: 300_000 }, () => {
  let other: CommandDatabase
  let admin: pg.Client
  const role = `rookery_doctor_${process.pid}`
  let asRole: Record<string, string>
  beforeAll(async () => {
    other = await commandDatabase()
    const url = new URL(other.env.DATABASE_URL ?? '')
    admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
    await admin.query(`GRANT CONNECT ON DATABASE ${admin.database} TO ${role}`)
    url.username = role
    url.password = 'secret'
    asRole = { DATABASE_URL: url.href }
  })
  afterAll(async () => {
    await admin.query(`DROP OWNED BY ${role} CASCADE`)
    await admin.query(`DROP ROLE ${role}`)
    await admin.end()
    await other.remove()
  })

  test('reports missing privileges and how to grant them', async () => {
    const bare = (await doctor(asRole)).get('Rights')
    expect(bare).toMatchObject({ status: 'problem', advice: `GRANT CREATE ON SCHEMA public TO ${role};` })
    for (const command of ['migrate', 'serve']) {
      expect(await runRookery([command], { ...asRole, PORT: '0' })).toEqual({
        code: 4,
        stdout: '',
        stderr: `DATABASE_URL: ${bare?.message} ${bare?.advice}\n`,
      })
    }
    await runCommand(['migrate'], other.env)
    const inaccessible = (await doctor(asRole)).get('Rights')
    expect(inaccessible).toMatchObject({ status: 'problem', message: expect.stringContaining('_prisma_migrations') })
    await admin.query(inaccessible?.advice ?? '')
    const granted = await doctor(asRole)
    expect(granted.get('Migrations')).toMatchObject({ status: 'ok' })
    const { rows } = await admin.query<{ owner: string; name: string }>(
      `SELECT tableowner AS owner, tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    expect(granted.get('Rights')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(`not alter the tables of ${rows[0]?.owner}.`),
      advice: 'Migrate as their owner.',
    })
    for (const { name } of rows) await admin.query(`ALTER TABLE "${name}" OWNER TO ${role}`)
    expect((await doctor(asRole)).get('Rights')).toMatchObject({ status: 'warning', advice: bare?.advice })
    await admin.query(bare?.advice ?? '')
    expect((await doctor(asRole)).get('Rights')).toMatchObject({ status: 'ok' })
  })

  test('reports functions, policies and limits that hinder the user, but no objects of extensions', async () => {
    await admin.query(
      `CREATE EXTENSION pg_buffercache; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC, ${role}`,
    )
    await admin.query('ALTER TABLE likes ENABLE ROW LEVEL SECURITY; ALTER TABLE likes FORCE ROW LEVEL SECURITY')
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 5`)
    const inaccessible = await doctor(asRole)
    expect(inaccessible.get('Connections')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(' 5 '),
    })
    expect(inaccessible.get('Rights')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('add_change'),
    })
    expect(inaccessible.get('Rights')?.message).not.toContain('pg_buffercache')
    await admin.query(inaccessible.get('Rights')?.advice ?? '')
    const rowSecured = (await doctor(asRole)).get('Rights')
    expect(rowSecured).toMatchObject({ status: 'problem', message: expect.stringContaining('likes') })
    await admin.query(rowSecured?.advice ?? '')
    expect((await doctor(asRole)).get('Rights')).toMatchObject({ status: 'ok' })
    await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
  })

  test('reports what a restored dump, another system and stopped services leave behind', async () => {
    await admin.query(`GRANT CONNECT ON DATABASE ${admin.database} TO PUBLIC`)
    await admin.query(`INSERT INTO jobs (kind, key, payload, due_at) VALUES ('send-mail', 'x', '{}', '2026-01-01')`)
    const found = await doctor({ ...other.env, REDIS_URL: 'redis://127.0.0.1:1/0' })
    expect(found.get('Access')).toMatchObject({ status: 'warning', message: expect.stringContaining(role) })
    // Unlike roles with a GRANT, PUBLIC includes those that do not exist yet.
    const alone = (await doctor(asRole)).get('Access')
    expect(alone).toMatchObject({ status: 'warning', message: expect.stringMatching(/^Every role .* can connect/) })
    expect(found.get('Waiting e-mails')?.message).toBe('Waiting for a mail server: 1, since 2026-01-01.')
    expect(found.get('Redis')?.message).toMatch(/^REDIS_URL: .*ECONNREFUSED/)
    await admin.query(found.get('Access')?.advice ?? '')
    const mail = { SMTP_URL: 'smtp://127.0.0.1:1', PUBLIC_URL: 'https://social.example.org' }
    const mended = await doctor({ ...other.env, ...mail })
    for (const name of ['Access', 'Waiting e-mails']) expect(mended.get(name)).toMatchObject({ status: 'ok' })
  })

  test('warns if the key of the secrets is missing, or is another one', async () => {
    const [key, id] = [randomBytes(32).toString('base64'), randomUUID()]
    await admin.query(
      `INSERT INTO users (id, username, email, display_name, name_tokens) VALUES ($1, 'ada', 'a@b.example', 'Ada', '')`,
      [id],
    )
    const sealed = new Authenticators(key, 'Rookery').seal(id, appSecret)
    await admin.query('INSERT INTO second_factors (user_id, secret, last_step) VALUES ($1, $2, 0)', [id, sealed])
    const withKey = async (more: Record<string, string>) => (await doctor({ ...other.env, ...more })).get('Accounts')
    expect((await withKey({ SECRETS_KEY: key }))?.status).toBe('ok')
    for (const [more, word] of [
      [{}, 'Without'],
      [{ SECRETS_KEY: randomBytes(32).toString('base64') }, 'With this'],
    ] as const) {
      const message = `Accounts with a second factor: 1. ${word} SECRETS_KEY, codes of their apps do not work.`
      expect(await withKey(more)).toMatchObject({ status: 'warning', message })
    }
  })

  test('reports a database of before the first release, without applying any migration', async () => {
    await admin.query(`UPDATE _prisma_migrations SET checksum = 'x'`)
    expect((await doctor(other.env)).get('Migrations')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('made before Rookery 0.1.0'),
    })
    expect((await admin.query('SELECT 1 FROM _prisma_migrations')).rowCount).toBe(migrations.length)
  })

  test('reports an oversized pool, a broken migration history and foreign tables', async () => {
    const { rows } = await admin.query<{ most: number }>(`SELECT current_setting('max_connections')::int AS most`)
    if ((rows[0]?.most ?? 0) < 200) {
      const found = await doctor({ ...other.env, DATABASE_POOL: '50', WORKERS: '4' })
      expect(found.get('Connections')).toMatchObject({
        status: 'warning',
        advice: expect.stringContaining('DATABASE_POOL'),
      })
    }
    await admin.query('ALTER TABLE _prisma_migrations RENAME COLUMN checksum TO sum')
    expect((await doctor(other.env)).get('Database')).toEqual({
      status: 'problem',
      message: expect.stringMatching(/^DATABASE_URL: cannot inspect the database: .*checksum.*\.$/),
      advice: expect.any(String),
    })
    await admin.query('DROP TABLE _prisma_migrations')
    expect((await doctor(other.env)).get('Rights')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('something else'),
    })
  })
})
