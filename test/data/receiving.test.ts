import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/data/database.ts'
import { onPostgres, openTestDatabase, poolSize } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const bytes = 100_000

/** Reads a text of this length. */
const read = (length: number, mayExceed: () => boolean) =>
  database.read.run({
    text: "SELECT repeat('x', $1::int) AS text",
    values: [length],
    isBuiltIn: false,
    isCheap: false,
    limit: { bytes, mayExceed },
  })

const text = (length: number) => [{ text: Buffer.alloc(length, 'x') }]

const busy = { code: 'UNAVAILABLE' }

test('a small result is received without asking', async () => {
  let asked = 0
  const small = read(bytes / 2, () => {
    asked += 1
    return false
  })
  expect(await small).toEqual(text(bytes / 2))
  expect(asked).toBe(0)
})

test('a large result is received if it may exceed the limit', async () => {
  let asked = 0
  const large = read(5_000_000, () => {
    asked += 1
    return true
  })
  expect(await large).toEqual(text(5_000_000))
  expect(asked).toBe(1)
})

test('an abandoned statement affects no other, even if its result was complete', async () => {
  const only = database.for({ account: 'ada' })
  for (let length = bytes - 2_000; length < bytes + 66_000; length += 4_000) {
    let isAsked = false
    const abandoned = read(length, () => {
      isAsked = true
      return false
    }).catch((error: unknown) => error)
    const others = Array.from({ length: 8 }, () =>
      only.read.run({ text: "SELECT 'other' AS text", values: [], isBuiltIn: false, isCheap: false }),
    )
    const result = await abandoned
    if (isAsked) expect(result).toMatchObject(busy)
    else expect(result).toEqual(text(length))
    expect(await Promise.all(others)).toEqual(Array(8).fill([{ text: 'other' }]))
  }
})

test('rows are received with their empty, null and long columns', async () => {
  const rows = await database.read.run({
    text: "SELECT '' AS empty, NULL AS nothing, repeat('ж', n * 30000) AS long FROM generate_series(1, 5) AS n",
    values: [],
    isBuiltIn: false,
    isCheap: false,
    limit: { bytes, mayExceed: () => true },
  })
  const row = (n: number) => ({ empty: Buffer.alloc(0), nothing: null, long: Buffer.from('ж'.repeat(n * 30_000)) })
  expect(rows).toEqual([1, 2, 3, 4, 5].map(row))
})

test('a statement that fails while its rows arrive leaves its connection usable', async () => {
  const failing = database.read.run({
    text: "SELECT repeat('x', 1000 / (500 - n)) AS text FROM generate_series(1, 1000) AS n",
    values: [],
    isBuiltIn: false,
    isCheap: false,
    limit: { bytes, mayExceed: () => true },
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(await read(10, () => false)).toEqual(text(10))
})

test('abandoned statements leave no connection behind', async () => {
  const backends = () =>
    database.runReserved<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT repeat%'",
      [],
    )
  for (let time = 0; time < 2 * poolSize; time += 1) {
    await expect(read(5_000_000, () => false)).rejects.toMatchObject(busy)
  }
  expect(await read(10, () => false)).toEqual(text(10))
  if (onPostgres) await expect.poll(backends).toEqual([{ count: 1 }])
})
