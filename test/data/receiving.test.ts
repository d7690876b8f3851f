import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResultLimit } from '../../src/data/backend.ts'
import type { Database } from '../../src/data/database.ts'
import { onPostgres, openTestDatabase, poolSize } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const bytes = 100_000

const ignore = () => undefined

/** Runs a statement whose result may be limited. */
const run = (text: string, values: readonly unknown[], limit: Omit<ResultLimit, 'bytes'>) =>
  database.read.run({ text, values, isBuiltIn: false, isCheap: false, limit: { bytes, ...limit } })

/** Reads a text of this length. */
const read = (length: number, mayExceed: () => boolean, noteSmall: () => void = ignore) =>
  run("SELECT repeat('x', $1::int) AS text", [length], { mayExceed, noteSmall })

const text = (length: number) => [{ text: Buffer.alloc(length, 'x') }]

const busy = { code: 'UNAVAILABLE' }

test('a small result is received without asking, and noted as small', async () => {
  let asked = 0
  let noted = 0
  const small = read(
    bytes / 2,
    () => {
      asked += 1
      return false
    },
    () => {
      noted += 1
    },
  )
  expect(await small).toEqual(text(bytes / 2))
  expect([asked, noted]).toEqual([0, 1])
})

test.each([
  ['one row', "SELECT repeat('x', 5000000) AS text", text(5_000_000)],
  ['many rows', "SELECT repeat('x', 1000) AS text FROM generate_series(1, 300)", Array(300).fill(text(1_000)[0])],
])('a large result of %s is received if it may exceed the limit', async (_, statement, rows) => {
  let asked = 0
  const mayExceed = () => {
    asked += 1
    return true
  }
  let isSmall = false
  const noteSmall = () => {
    isSmall = true
  }
  expect(await run(statement, [], { mayExceed, noteSmall })).toEqual(rows)
  expect([asked, isSmall]).toEqual([1, false])
})

test('an abandoned statement affects no other', async () => {
  const only = database.for({ account: 'ada' })
  for (const length of [bytes, bytes + 1, 2 * bytes, 50 * bytes]) {
    const others = Array.from({ length: 8 }, () =>
      only.read.run({ text: "SELECT 'other' AS text", values: [], isBuiltIn: false, isCheap: false }),
    )
    await expect(read(length, () => false)).rejects.toMatchObject(busy)
    expect(await Promise.all(others)).toEqual(Array(8).fill([{ text: 'other' }]))
  }
})

test('rows are received with their empty, null and long columns', async () => {
  const statement =
    "SELECT '' AS empty, NULL AS nothing, repeat('ж', n * 30000) AS long FROM generate_series(1, 5) AS n"
  const row = (n: number) => ({ empty: Buffer.alloc(0), nothing: null, long: Buffer.from('ж'.repeat(n * 30_000)) })
  const rows = await run(statement, [], { mayExceed: () => true, noteSmall: ignore })
  expect(rows).toEqual([1, 2, 3, 4, 5].map(row))
})

test('a statement that fails while its rows arrive is not noted as small and leaves its connection usable', async () => {
  let isSmall = false
  const failing = run("SELECT repeat('x', 90000 / (500 - n)) AS text FROM generate_series(1, 1000) AS n", [], {
    mayExceed: () => true,
    noteSmall: () => {
      isSmall = true
    },
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(isSmall).toBe(false)
  for (let time = 0; time < poolSize; time += 1) expect(await read(10, () => false)).toEqual(text(10))
  const unlimited = { text: "SELECT 'x' AS text", values: [], isBuiltIn: false, isCheap: false }
  for (let time = 0; time < poolSize; time += 1) expect(await database.read.run(unlimited)).toEqual([{ text: 'x' }])
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
