import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { databaseOptions, readConfig } from '../../../src/server/config.ts'
import { startApp } from '../../support/app.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'

const turkish = `LOCALE_PROVIDER icu ICU_LOCALE 'tr' ENCODING 'UTF8'`

describe.runIf(onPostgres)('in a database with a Turkish locale', () => {
  let env: { DATABASE_URL: string }
  let drop: () => Promise<void>
  let client: pg.Client
  beforeEach(async () => {
    const database = await createServerDatabase('template0', turkish)
    drop = database.drop
    env = { DATABASE_URL: database.url }
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await drop()
  })

  test('usernames and e-mail addresses ignore the case of ASCII letters, and names are sorted by code points', async () => {
    const app = await startApp({}, (log) => openDatabase(databaseOptions(readConfig(env), 'server'), log))
    const irmak = personOf(await signUp(app, { username: 'Irmak', email: 'ILKER@Example.org' }))
    expect(personOf(await signIn(app, 'Irmak')).id).toBe(irmak.id)
    expect(personOf(await signIn(app, 'irmak')).id).toBe(irmak.id)
    expect(await signUp(app, { username: 'irmak' })).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] })
    const found = await app.rest(irmak.token, 'GET', '/user/@IRMAK')
    expect(found.status).toBe(200)
    const hash = createHash('sha256').update('ilker@example.org').digest('hex')
    expect(await found.json()).toMatchObject({ uuid: irmak.id, avatar: expect.stringContaining(`/${hash}?`) })

    const badges = ['i', 'Z', 'I', 'ç', 'a']
    for (const name of badges)
      await client.query(
        `WITH badge AS (INSERT INTO badges (id, name) VALUES (gen_random_uuid(), $1) RETURNING id)
         INSERT INTO user_badges (user_id, badge_id) SELECT $2, id FROM badge`,
        [name, irmak.id],
      )
    const sorted = ['I', 'Z', 'a', 'i', 'ç']
    expect(await app.graphql(irmak.token, '{ viewer { badges { name } } }')).toMatchObject({
      data: { viewer: { badges: sorted.map((name) => ({ name })) } },
    })
    const shown = await runCommand(['user', 'show', 'IRMAK', '--json'], env)
    expect(JSON.parse(shown.stdout)).toMatchObject({ username: 'Irmak', badges: sorted })
    await app.close()
  })

  test('no index depends on the locale, which an upgrade of the system may change', async () => {
    expect((await runCommand(['migrate'], env)).code).toBe(0)
    const { rows } = await client.query<{ name: string }>(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE 'default'::regcollation = ANY (indcollation) AND indrelid::regclass::text IN (
         SELECT tablename FROM pg_tables WHERE schemaname = 'public') AND indrelid <> '_prisma_migrations'::regclass`,
    )
    expect(rows).toEqual([])
  })
})
