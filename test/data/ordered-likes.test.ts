import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/data/migrate.ts'
import { migrationsFolder, readMigrations } from '../../src/data/migration-files.ts'
import { createLog } from '../../src/log.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

const log = createLog('silent')
const [early, late, latest] = [
  '019ab2c4-0000-7000-8000-000000000001',
  '019ab2c4-1111-7000-8000-000000000002',
  '019ab2c4-2222-7000-8000-000000000003',
]

let database: EmptyDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
}, 120_000)
afterAll(() => database.remove())

async function query(text: string): Promise<unknown[][]> {
  return (await database.client.query<unknown[]>({ text, rowMode: 'array' })).rows
}

test('likes from before they had an id are kept, each with an id of a time at which it was possible', async () => {
  const migrations = await readMigrations(migrationsFolder)
  const before = migrations.filter(({ name }) => name < '20261122010000_ordered_likes')
  expect(before.length).toBeLessThan(migrations.length)
  await migrate(database.client, before, log)
  const user = (id: string) => `('${id}', 'u${id.slice(-1)}', 'U', 'u@example.org')`
  await query(`insert into users (id, username, display_name, email) values ${user(early)}, ${user(latest)}`)
  await query(
    `insert into publications (id, author_id, content, like_count) values ('${late}', '${early}', 'A post', 2)`,
  )
  await query(`insert into likes (publication_id, user_id) values ('${late}', '${early}'), ('${late}', '${latest}')`)

  await migrate(database.client, migrations, log)

  expect(await query('select publication_id, user_id, left(id::text, 15) from likes order by id')).toEqual([
    [late, early, '019ab2c4-1111-7'],
    [late, latest, '019ab2c4-2222-7'],
  ])
  expect(await query(`select id::text ~ '-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' from likes`)).toEqual([[true], [true]])
  const unlike = `select set_like('${late}', '${early}', '${late}', null, true, true)`
  expect(await query(unlike)).toEqual([['unliked']])
  expect(await query('select like_count from publications')).toEqual([[1]])
})
