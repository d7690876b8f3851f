import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { waitingLimits } from '../../../src/engine/data/pooled-backend.ts'
import { createLog } from '../../../src/engine/log.ts'
import { onPostgres, openTestDatabase } from '../../support/database.ts'

describe.runIf(onPostgres)('slow reads', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(createLog('silent'), 8)
  })
  afterAll(() => database.close())

  const running = async () => {
    const text =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'"
    return (await database.runReserved(text, [])).length
  }

  const read = { text: 'SELECT pg_sleep(2.9)', values: [], preparation: 'always', isCheap: false } as const

  /** Starts reads of an account, by default more than the pool has connections, which run until they are cancelled. */
  function startReads(account: string, lifetime: AbortController, length = 10): Promise<unknown> {
    const access = database.for({ rateLimitKey: account, lifetime })
    return Promise.allSettled(Array.from({ length }, () => access.read(read)))
  }

  test('of one account use a quarter of the connections, and those of all accounts half', async () => {
    const clients = new AbortController()
    const reads = [startReads('ada', clients)]
    await expect.poll(running).toBe(2)
    reads.push(startReads('bob', clients), startReads('carol', clients))
    await expect.poll(running).toBe(4)
    const cheap = { text: 'SELECT 1::text AS one', values: [], preparation: 'always', isCheap: true } as const
    expect(await database.for({ rateLimitKey: 'ada', lifetime: clients }).read(cheap)).toEqual([{ one: '1' }])
    expect(await running()).toBe(4)
    clients.abort()
    await Promise.all(reads)
  })

  test('are refused when too many of an account wait', async () => {
    const clients = new AbortController()
    const reads = startReads('ada', clients, 2 + waitingLimits.ofAccount)
    await expect(database.for({ rateLimitKey: 'ada', lifetime: clients }).read(read)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('busy'),
    })
    clients.abort()
    await reads
  })
})
