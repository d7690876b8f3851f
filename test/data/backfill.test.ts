import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backfill } from '../../src/data/backfill.ts'
import { migrate } from '../../src/data/migrate.ts'
import { migrationsFolder, readMigrations } from '../../src/data/migration-files.ts'
import { createLog } from '../../src/log.ts'
import { onPostgres } from '../support/database.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

const log = createLog('silent')
const ada = '01900000-0000-7000-8000-000000000001'
const count = 2_500
/** The id of a publication by its number. */
const idOf = (number: number | string) =>
  `('01900000-0000-7000-8000-' || lpad(to_hex(100000 + ${number}), 12, '0'))::uuid`

let database: EmptyDatabase
let client: pg.Client
beforeEach(async () => {
  database = await createEmptyDatabase()
  client = database.client
  const migrations = await readMigrations(migrationsFolder)
  const before = migrations.findIndex(({ name }) => name.endsWith('_threads'))
  await migrate(client, migrations.slice(0, before), log)
  // Every 300th is a post, and others reply to their neighbor, which may come later: in long lines, also from one batch to another.
  await client.query(`
    INSERT INTO users (id, username, display_name, email) VALUES ('${ada}', 'ada', 'Ada', 'ada@example.org');
    INSERT INTO publications (id, author_id, content, deleted_at)
      SELECT ${idOf('n')}, '${ada}', CASE WHEN n % 5 = 0 THEN '' ELSE 'Hello' END, CASE WHEN n % 5 = 0 THEN now() END
      FROM generate_series(1, ${count}) n;
    UPDATE publications reply SET parent_id = parent.id FROM generate_series(1, ${count}) n, publications parent
      WHERE n % 300 <> 150 AND reply.id = ${idOf('n')} AND parent.id = ${idOf('n + sign(150 - n % 300)::int')}`)
  await migrate(client, migrations, log)
}, 120_000)
afterEach(() => database.remove())

/** How many publications have no root, and how many have another one than the end of their line of parents. */
async function rootsOf(): Promise<unknown> {
  const { rows } = await client.query(`
    WITH RECURSIVE line (id, root_id) AS (
      SELECT id, id FROM publications WHERE parent_id IS NULL
      UNION ALL SELECT p.id, line.root_id FROM publications p JOIN line ON p.parent_id = line.id)
    SELECT count(*) FILTER (WHERE p.root_id IS NULL)::int AS missing,
      count(*) FILTER (WHERE p.root_id <> line.root_id)::int AS wrong
    FROM publications p LEFT JOIN line USING (id)`)
  return rows[0]
}

test('older publications get the root of their thread, whatever the order of their ids', async () => {
  expect(await rootsOf()).toEqual({ missing: count, wrong: 0 })
  const stateOf = async () =>
    (await client.query('SELECT sum(version), max(edited_at), (SELECT count(*) FROM changes) FROM publications')).rows
  const before = await stateOf()
  await backfill(client, log)
  expect(await rootsOf()).toEqual({ missing: 0, wrong: 0 })
  expect(await stateOf()).toEqual(before)
  expect((await client.query('SELECT FROM backfills')).rowCount).toBe(0)
})

describe.runIf(onPostgres)('beside other writes', () => {
  let other: pg.Client
  beforeEach(async () => {
    other = await database.connect()
    await other.query('BEGIN')
  })
  afterEach(() => other.end())

  const isWaiting = async () => {
    const { rows } = await other.query(`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    return rows.length
  }

  test('it goes on where it was interrupted', async () => {
    await other.query(`SELECT FROM publications WHERE id = ${idOf(1_500)} FOR UPDATE`)
    const worker = await database.connect()
    worker.on('error', () => undefined)
    const interrupted = expect(backfill(worker, log)).rejects.toThrow()
    await expect.poll(isWaiting).toBe(1)
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    await interrupted
    expect(await rootsOf()).toMatchObject({ missing: expect.toSatisfy((it) => it > 0 && it < count) })
    await other.query('ROLLBACK')
    await backfill(client, log)
    expect(await rootsOf()).toEqual({ missing: 0, wrong: 0 })
  })

  test('a reply that is sent to a publication without a root gets one', async () => {
    const sent = await other.query(
      `SELECT send_publication(${idOf(count + 1)}, ${idOf(count - 1)}, '${ada}', NULL, 'Late', false) AS outcome`,
    )
    expect(sent.rows).toEqual([{ outcome: 'sent' }])
    const filled = backfill(client, log)
    await expect.poll(isWaiting).toBe(1)
    await other.query('COMMIT')
    await filled
    expect(await rootsOf()).toEqual({ missing: 0, wrong: 0 })
  })
})
