import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { createLog } from '../../../src/engine/log.ts'
import { onPostgres, openTestDatabase } from '../../support/database.ts'

const gone = { code: 'UNAVAILABLE', message: 'The client has disconnected.' }

/** A read that takes this many seconds, for a client that disconnects when the controller aborts. */
function sleeping(database: Database, seconds: number) {
  const controller = new AbortController()
  const request = { rateLimitKey: 'ada', lifetime: controller }
  const read = database
    .for(request)
    .read({ text: 'SELECT pg_sleep($1)::text', values: [seconds], preparation: 'never', isCheap: false })
  return { controller, read }
}

describe.runIf(onPostgres)('a client that disconnects', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(createLog('silent'), 1)
  })
  afterAll(() => database.close())

  const running = () =>
    database.runReserved(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()",
      [],
    )

  test('has its read cancelled, and its waiting reads dropped before they start', async () => {
    const [first, second] = [sleeping(database, 2.9), sleeping(database, 2.9)]
    await expect.poll(running).toHaveLength(1)
    second.controller.abort()
    first.controller.abort()
    for (const { read } of [first, second]) await expect(read).rejects.toMatchObject(gone)
    await expect.poll(running).toEqual([])
  })

  test('has no statement started after it has disconnected', async () => {
    const request = { rateLimitKey: 'ada', lifetime: { signal: AbortSignal.abort() } }
    const read = database.for(request).read({ text: 'SELECT 1 / 0', values: [], preparation: 'never', isCheap: false })
    await expect(read).rejects.toMatchObject(gone)
  })

  test('never cancels the next statement on the same connection, which stays open', async () => {
    const pid = () => database.write.run({ text: 'SELECT pg_backend_pid() AS pid', values: [], lockKey: undefined })
    const before = await pid()
    // The cancellation comes late, after the end of the read.
    const busy = Array.from({ length: 2 }, () => database.runReserved('SELECT pg_sleep(0.5)::text', []))
    const { controller, read } = sleeping(database, 0.2)
    await sleep(100)
    controller.abort()
    const next = database.write.run({ text: 'SELECT pg_sleep(0.8)::text', values: [], lockKey: undefined })
    await read.catch((error: unknown) => expect(error).toMatchObject(gone))
    expect(await next).toHaveLength(1)
    await Promise.all(busy)
    expect(await pid()).toEqual(before)
  })

  test('has its write completed', async () => {
    const controller = new AbortController()
    const text = "INSERT INTO badges (id, name) SELECT gen_random_uuid(), 'kept' FROM pg_sleep(0.5)"
    const request = { rateLimitKey: 'ada', lifetime: controller }
    const write = database.for(request).write.run({ text, values: [], lockKey: undefined })
    await expect.poll(running).toHaveLength(1)
    controller.abort()
    await write
    expect(await database.write.prisma.badge.count({ where: { name: 'kept' } })).toBe(1)
  })
})
