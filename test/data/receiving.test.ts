import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/data/database.ts'
import { Refusal } from '../../src/errors.ts'
import { onPostgres, openTestDatabase, poolSize } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const after = 100_000

/** Reads a text of this length, with a pause if it is large. */
const read = (length: number, until: () => Promise<void>) =>
  database.read.run({
    text: "SELECT repeat('x', $1::int) AS text",
    values: [length],
    isBuiltIn: false,
    isCheap: false,
    pause: { after, until },
  })

const text = (length: number) => [{ text: 'x'.repeat(length) }]

test('a small result is received without a pause', async () => {
  const never = () => Promise.reject(new Error('paused'))
  expect(await read(after / 2, never)).toEqual(text(after / 2))
})

test('receiving a large result pauses while others read', async () => {
  let resume = () => {}
  let pauses = 0
  let isReceived = false
  const large = read(5_000_000, () => {
    pauses += 1
    return new Promise((resolve) => {
      resume = resolve
    })
  }).finally(() => {
    isReceived = true
  })
  await expect.poll(() => pauses).toBe(1)
  for (let time = 0; time < 20; time += 1) expect(await read(10, async () => {})).toEqual(text(10))
  expect(isReceived).toBe(false)
  resume()
  expect(await large).toEqual(text(5_000_000))
  expect(pauses).toBe(1)
})

test('a pause that begins with the last chunk affects only its own statement', async () => {
  const busy = new Refusal('UNAVAILABLE', 'The server is busy.')
  const only = database.for({ account: 'ada' })
  for (let length = after - 2_000; length < after + 66_000; length += 4_000) {
    let pauses = 0
    const refused = read(length, async () => {
      pauses += 1
      await sleep(20)
      throw busy
    }).catch((error: unknown) => error)
    const others = Array.from({ length: 8 }, () =>
      only.read.run({ text: "SELECT 'other' AS text", values: [], isBuiltIn: false, isCheap: false }),
    )
    expect(await refused).toEqual(pauses > 0 ? busy : text(length))
    expect(await Promise.all(others)).toEqual(Array(8).fill([{ text: 'other' }]))
  }
})

test('a read whose pause fails leaves no connection behind', async () => {
  const busy = new Refusal('UNAVAILABLE', 'The server is busy.')
  const backends = () =>
    database.runReserved<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT repeat%'",
      [],
    )
  for (let time = 0; time < 2 * poolSize; time += 1) {
    await expect(read(5_000_000, () => Promise.reject(busy))).rejects.toBe(busy)
  }
  expect(await read(10, async () => {})).toEqual(text(10))
  if (onPostgres) await expect.poll(backends).toEqual([{ count: 1 }])
})
