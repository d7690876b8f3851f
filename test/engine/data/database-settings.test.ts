import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/engine/data/database.ts'
import { createLog } from '../../../src/engine/log.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'

/** Each setting, with the value that results need, and another one that the database has. */
const settings: Readonly<Record<string, readonly [needed: string, other: string]>> = {
  array_nulls: ['on', 'off'],
  bytea_output: ['hex', 'escape'],
  client_encoding: ['UTF8', 'LATIN1'],
  datestyle: ['ISO, MDY', 'German'],
  default_transaction_deferrable: ['off', 'on'],
  default_transaction_isolation: ['read committed', 'serializable'],
  default_transaction_read_only: ['off', 'on'],
  extra_float_digits: ['1', '-15'],
  idle_session_timeout: ['0', '1min'],
  intervalstyle: ['postgres', 'iso_8601'],
  row_security: ['off', 'on'],
  standard_conforming_strings: ['on', 'off'],
  timezone: ['UTC', 'Asia/Kathmandu'],
}

describe.runIf(onPostgres)('whatever the database sets', () => {
  let url: string
  let drop: () => Promise<void>
  beforeEach(async () => {
    ;({ url, drop } = await createServerDatabase())
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    const name = new URL(url).pathname.slice(1)
    for (const [setting, [, other]] of Object.entries(settings))
      await admin.query(`ALTER DATABASE ${name} SET ${setting} = '${other}'`)
    await admin.end()
  })
  afterEach(() => drop())

  const open = (log = createLog('silent'), opener: 'server' | 'command' = 'server') =>
    openDatabase({ kind: 'server', url, poolSize: 2, opener }, log)

  test.each(['server', 'command'] as const)('all connections of a %s have what results depend on', async (opener) => {
    const database: Database = await open(undefined, opener)
    const names = Object.keys(settings)
    const text = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`
    const needed = Object.fromEntries(names.map((name) => [name, settings[name]?.[0]]))
    expect(await database.write.prisma.$queryRawUnsafe(text)).toEqual([needed])
    expect(await database.write.run({ text, values: [], lockKey: undefined })).toEqual([needed])
    expect(await database.runReserved(text, [])).toEqual([needed])
    await database.close()
  })

  test('accounts follow one at the same time', async () => {
    const app = await startApp({}, open)
    const ada = await app.person('ada')
    const others = await Promise.all(Array.from({ length: 30 }, () => app.person()))
    const follow = 'mutation ($uuid: UUID!) { setFollow(input: { uuid: $uuid, followed: true }) { user { uuid } } }'
    const answers = await Promise.all(others.map(({ token }) => app.graphql(token, follow, { uuid: ada.id })))
    expect(answers.map(({ errors }) => errors)).toEqual(others.map(() => []))
    await app.close()
  })

  test('a token creates none that outlives it, and times are read and listed', async () => {
    const app: TestApp = await startApp({}, open)
    const ada: Person = await app.person('ada')
    const expiresAt = new Date(Date.now() + 86_400_000)
    const token = await app.token(ada, ['account.manage', 'user.get'], { expiresAt })
    const create =
      'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { accessToken { expiresAt } } }'
    const input = { name: 'Child', scopes: ['USER_GET'] }
    expect(await app.graphql(token, create, { input })).toMatchObject({
      data: { createAccessToken: { accessToken: { expiresAt: expiresAt.toISOString() } } },
    })
    const later = new Date(expiresAt.getTime() + 1_000)
    expect(await app.graphql(token, create, { input: { ...input, expiresAt: later } })).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    })
    expect(await app.graphql(token, '{ accessTokens { nodes { createdAt } } }')).toMatchObject({ errors: [] })
    const listed = await runCommand(['user', 'list'], { DATABASE_URL: url })
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toContain(' ada ')
    await app.close()
  })
})

test.runIf(onPostgres)('a time that cannot be read is an error', async () => {
  const { url, drop } = await createServerDatabase()
  const database = await openDatabase({ kind: 'server', url, poolSize: 2, opener: 'server' }, createLog('silent'))
  for (const time of ['infinity', '10000-01-01', '0044-03-15 BC'])
    await expect(database.runReserved('SELECT $1::text::timestamptz AS time', [time])).rejects.toThrow(/cannot be read/)
  await database.close()
  await drop()
})

test.runIf(onPostgres).each(['LATIN1', 'SQL_ASCII'])('a database in %s is refused', async (encoding) => {
  const { url, drop } = await createServerDatabase('template0', `ENCODING '${encoding}' LOCALE 'C'`)
  const env = { DATABASE_URL: url, PORT: '0' }
  const problem = expect.stringContaining(`: its encoding is ${encoding}.`)
  const advice = 'Create one with createdb --encoding=UTF8 --template=template0.'
  for (const command of ['serve', 'migrate'])
    expect(await runCommand([command], env)).toEqual({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`: its encoding is ${encoding}\\. ${advice}\n$`)),
    })
  const { stdout } = await runCommand(['doctor', '--json'], env)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    checks: expect.arrayContaining([{ name: 'Database', status: 'problem', message: problem, advice }]),
  })
  await drop()
})
