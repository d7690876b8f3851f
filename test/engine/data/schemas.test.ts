import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { databaseOptions, readConfig } from '../../../src/server/config.ts'
import { startApp } from '../../support/app.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'

describe.runIf(onPostgres)('Rookery', () => {
  let url: string
  let drop: () => Promise<void>
  let client: pg.Client
  beforeEach(async () => {
    ;({ url, drop } = await createServerDatabase())
    client = new pg.Client({ connectionString: url })
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await drop()
  })

  const set = (setting: string) => client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`)
  const migrate = (parameters = '') => runCommand(['migrate'], { DATABASE_URL: `${url}${parameters}` })

  /** The schemas with tables of Rookery. */
  async function schemas(): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      `SELECT schemaname AS name FROM pg_tables WHERE tablename = 'access_tokens' ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }

  /** The message of the doctor on the database. */
  async function doctor(parameters = ''): Promise<string> {
    const { stdout } = await runCommand(['doctor'], { DATABASE_URL: `${url}${parameters}`, PORT: '0' })
    return stdout
  }

  test('creates the schema that the URL names, and uses no other', async () => {
    await client.query('CREATE TABLE users (id int); CREATE TABLE _prisma_migrations (id int)')
    const parameters = '?schema=Other%20one'
    expect(await doctor(parameters)).toContain('in the schema Other one')
    expect(await migrate(parameters)).toMatchObject({ code: 0, stderr: '' })
    expect(await schemas()).toEqual(['Other one'])
    const config = readConfig({ DATABASE_URL: `${url}${parameters}` })
    const app = await startApp({}, (log) => openDatabase(databaseOptions(config, 'server'), log))
    const ada = await app.person('ada')
    const post = await publish(app, ada)
    expect((await app.rest(ada.token, 'GET', `/post/${post}`)).status).toBe(200)
    const path = `SELECT current_setting('search_path') AS path`
    expect(await app.database.runReserved(path, [])).toEqual([{ path: '"Other one", pg_temp' }])
    await app.close()
    expect(await doctor(parameters)).toContain('Everything is fine.')
  })

  test('takes writes in a schema that was renamed, after the statements that the doctor prints', async () => {
    await migrate()
    await client.query('ALTER SCHEMA public RENAME TO "Other one"')
    const parameters = '?schema=Other%20one'
    const statements = /ALTER FUNCTION .*;$/m.exec(await doctor(parameters))?.[0] ?? ''
    await client.query(statements)
    expect(await doctor(parameters)).toContain('Everything is fine.')
    const config = readConfig({ DATABASE_URL: `${url}${parameters}` })
    const app = await startApp({}, (log) => openDatabase(databaseOptions(config, 'server'), log))
    const post = await publish(app, await app.person('ada'))
    await app.close()
    const { rows } = await client.query('SELECT publication_id AS id FROM "Other one".changes WHERE kind = $1', [
      'PUBLISHED',
    ])
    expect(rows).toEqual([{ id: post }])
  })

  test('uses the first schema of the search path, whatever other programs have in the others', async () => {
    await client.query('CREATE SCHEMA own; CREATE TABLE users (id int); CREATE TABLE _prisma_migrations (id int)')
    await set('search_path = own, public')
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' })
    expect(await schemas()).toEqual(['own'])
    expect(await doctor()).toMatch(/in the schema own\.\n[\s\S]*Everything is fine/)
  })

  test('stays in its schema when the search path gets another one before it', async () => {
    await migrate()
    await client.query(`CREATE SCHEMA "${new URL(url).username}"`)
    expect(await migrate('?options=-c%20search_path%3D%22$user%22,public')).toMatchObject({ code: 0, stderr: '' })
    expect(await schemas()).toEqual(['public'])
  })

  test('is refused where no schema of the search path exists', async () => {
    await set('search_path = missing')
    const { code, stderr } = await migrate()
    expect(code).toBe(4)
    expect(stderr).toMatch(/: no schema of its search path exists\. Name one in DATABASE_URL with \?schema=.*\.\n$/)
    expect(await doctor()).toContain('no schema of its search path exists')
  })

  test('creates no schema while its tables are in another one, unless the operator has created it', async () => {
    await migrate()
    const { code, stderr } = await migrate('?schema=own')
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr:
        'DATABASE_URL: There is no schema own, but the tables of Rookery are in public. ' +
        'Name that schema in DATABASE_URL, or for a second network: CREATE SCHEMA own;\n',
    })
    expect(await doctor('?schema=own')).toContain('There is no schema own, but the tables of Rookery are in public.')
    await client.query('CREATE SCHEMA own')
    expect(await migrate('?schema=own')).toMatchObject({ code: 0, stderr: '' })
    expect(await schemas()).toEqual(['own', 'public'])
  })

  test('says how to create and to use a schema where its user may not', async () => {
    const role = `rookery_schemas_${process.pid}`
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
    await client.query(`GRANT CONNECT ON DATABASE ${client.database} TO ${role}`)
    try {
      const asRole = new URL(url)
      Object.assign(asRole, { username: role, password: 'secret', search: '?schema=own' })
      const { stderr } = await runCommand(['migrate'], { DATABASE_URL: asRole.href })
      const advice = `CREATE SCHEMA own AUTHORIZATION ${role};`
      expect(stderr).toBe(`DATABASE_URL: There is no schema own, and ${role} cannot create it. ${advice}\n`)
      await client.query('CREATE SCHEMA own')
      const useIt = `GRANT USAGE ON SCHEMA own TO ${role};`
      for (const command of ['migrate', 'doctor'])
        expect(JSON.stringify(await runCommand([command], { DATABASE_URL: asRole.href, PORT: '0' }))).toContain(useIt)
      await client.query('DROP SCHEMA own')
      await client.query(advice)
      expect(await runCommand(['migrate'], { DATABASE_URL: asRole.href })).toMatchObject({ code: 0, stderr: '' })
    } finally {
      await client.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    }
  })
})
