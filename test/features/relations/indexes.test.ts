import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { relations } from '../../../src/features/base/relations.ts'
import { openTestDatabase } from '../../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** The columns of each index of a table that has all rows, in their order. */
async function indexesOf(table: string): Promise<readonly string[]> {
  const rows = await database.write.prisma.$queryRaw<{ columns: string }[]>`
    select (select string_agg(pg_get_indexdef(i.indexrelid, n, false), ', ' order by n)
      from generate_series(1, i.indnkeyatts) n) as columns
    from pg_index i where i.indrelid = ${table}::regclass and i.indpred is null`
  return rows.map(({ columns }) => columns)
}

test.each(relations)(
  'an index finds the rows of $table by both ends, and those of each list in its order',
  async (it) => {
    const { table, actorColumn, objectColumn, actors } = it
    const indexes = await indexesOf(table)
    expect(indexes).toContain(`${actorColumn}, id`)
    expect(indexes.filter((columns) => columns.startsWith(objectColumn))).not.toEqual([])
    if (actors) expect(indexes).toContain(`${objectColumn}, id`)
  },
)
