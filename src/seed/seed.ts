import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { hasNoAccounts } from '../domain/accounts.ts'
import { Refusal } from '../errors.ts'
import { analyze, setCounters } from './counters.ts'
import { insertRows } from './insert.ts'
import { networkRows } from './rows.ts'
import { checkSize, type SeedOptions } from './seed-options.ts'

/**
 * Fills an empty database with a generated network in one transaction. The same options give the same texts, graph and times. Users
 * have no password, and the first one is `ada`. Throws `VALIDATION_FAILED` for impossible sizes, and `CONFLICT` if there are users.
 */
export async function seed({ write: { prisma } }: Database, options: SeedOptions): Promise<void> {
  checkSize(options)
  const counted = { users: options.users, publications: options.posts, likes: options.likes, follows: options.follows }
  const total = Object.values(counted).reduce((sum, count) => sum + count, 0)
  const fill = async (transaction: Client): Promise<void> => {
    // Locked until the end, so that of two processes that seed at the same time, the second finds the users of the first.
    await transaction.$executeRaw`lock table users in share row exclusive mode`
    if (!(await hasNoAccounts(transaction))) throw new Refusal('CONFLICT', 'The database has users already.')
    let done = 0
    for (const [table, rows] of Object.entries(networkRows(options))) {
      await insertRows(transaction, table, rows, (count) => {
        if (!(table in counted)) return
        done += count
        options.onProgress?.(done, total, table)
      })
    }
    await setCounters(transaction)
    await analyze(transaction)
  }
  await prisma.$transaction(fill, { maxWait: 60_000, timeout: 3_600_000 })
}
