import type { Client } from '../../engine/data/client.ts'
import type { Database } from '../../engine/data/database.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { Refusal } from '../../engine/errors.ts'
import { hasNoAccounts } from '../accounts/accounts.ts'
import { relationCounters, relations } from '../base/relations.ts'
import { networkRows, type Row } from './rows.ts'
import { checkSize, type SeedOptions } from './seed-options.ts'

/** Sets every counter to the number of its rows. */
export async function setCounters(client: Client): Promise<void> {
  // Without statistics of the new rows, each of these counts might read a whole table.
  await analyze(client)
  const countersOf = (type: 'publication' | 'user') =>
    Prisma.join(relationCounters(type).map(({ counter, count }) => Prisma.raw(`${counter} = ${count}`)))
  await client.$executeRaw`
    update publications it set ${countersOf('publication')},
      reply_count = (select count(*) from publications r where r.parent_id = it.id and r.deleted_at is null)`
  await client.$executeRaw`update users it set ${countersOf('user')}`
  await client.$executeRaw`
    update hashtags it set publication_count = (select count(*) from hashtag_uses u where u.hashtag_id = it.id and u.is_listed)`
  await client.$executeRaw`delete from hashtags where publication_count = 0`
}

/** Updates the statistics of the query planner. */
async function analyze(client: Client): Promise<void> {
  const tables = relations.map(({ table }) => table).join(', ')
  await client.$executeRaw`analyze users, badges, user_badges, applications, publications, mentions, hashtags, hashtag_uses,
    ${Prisma.raw(tables)}`
}

// The client keeps the parameters of its last statements, so larger batches take memory without saving time.
const rowsInStatement = 1_000

/**
 * Fills an empty database with a generated network in one transaction. The same options give the same texts, graph and times. Users
 * have no password, and the first one is `ada`. Throws `VALIDATION_FAILED` for impossible sizes, and `CONFLICT` if there are users.
 */
export async function seed({ write: { prisma } }: Database, options: SeedOptions): Promise<void> {
  checkSize(options)
  const { users, posts, likes, follows } = options
  const counted = new Set(['users', 'publications', 'likes', 'follows'])
  const total = users + posts + likes + follows
  const fill = async (transaction: Client): Promise<void> => {
    // PgBouncer's sessions have the limits of requests.
    await transaction.$queryRaw`select set_config(name, '0', true) from unnest(array['statement_timeout', 'lock_timeout']) name`
    // Locked until the end, so that of two processes that seed at the same time, the second finds the users of the first.
    await transaction.$executeRaw`lock table users in share row exclusive mode`
    if (!(await hasNoAccounts(transaction))) throw new Refusal('CONFLICT', 'The database has users already.')
    let done = 0
    for (const [table, rows] of Object.entries(networkRows(options))) {
      await insertRows(transaction, table, rows, (count) => {
        if (!counted.has(table)) return
        done += count
        options.onProgress?.(done, total, table)
      })
    }
    await setCounters(transaction)
    await analyze(transaction)
  }
  await prisma.$transaction(fill, { maxWait: 60_000, timeout: 3_600_000 })
}

/** Inserts rows that all have the same columns, in batches, and holds only one at a time. */
async function insertRows(client: Client, table: string, rows: Iterable<Row>, onInserted: (count: number) => void) {
  let batch: Row[] = []
  const insert = async () => {
    const columns = Object.keys(batch[0] ?? {}).join(', ')
    const statement = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`
    if (batch.length > 0) await client.$executeRawUnsafe(statement, JSON.stringify(batch))
    onInserted(batch.length)
    batch = []
  }
  for (const row of rows) if (batch.push(row) === rowsInStatement) await insert()
  await insert()
}
