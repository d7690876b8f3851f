import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/data/database.ts'
import { createLog } from '../../src/log.ts'
import { createFolder, createServerDatabase, onPostgres } from '../support/database.ts'

const sleep = (seconds: number) => ({
  text: `SELECT pg_sleep(${seconds})`,
  values: [],
  isBuiltIn: true,
  isCheap: false,
})
const cheap = { text: 'SELECT 1', values: [], isBuiltIn: true, isCheap: true }

/** Keeps an account active with a cheap statement at a time. Returns a function that ends this. */
function keepActive(database: Database, account: string): () => Promise<void> {
  let isOver = false
  const statements = async () => {
    while (!isOver) {
      await database.for({ account }).read.run(cheap)
      await setTimeout(50)
    }
  }
  const running = statements()
  return () => {
    isOver = true
    return running
  }
}

test.runIf(onPostgres)(
  'beside another active account, expensive statements of one use a tenth of the connections',
  async () => {
    const server = await createServerDatabase()
    const database = await openDatabase(
      { kind: 'server', url: server.url, poolSize: 20, opener: 'server' },
      createLog('silent'),
    )
    const end = keepActive(database, 'bob')
    try {
      await setTimeout(200)
      const begun = performance.now()
      await Promise.all(Array.from({ length: 6 }, () => database.for({ account: 'ada' }).read.run(sleep(0.3))))
      // Two at a time.
      expect(performance.now() - begun).toBeGreaterThan(850)
    } finally {
      await end()
      await database.close()
      await server.drop()
    }
  },
)

describe('on the embedded database', () => {
  test('beside an account with cheap statements, slow ones of another use about half of the time', {
    timeout: 60_000,
  }, async () => {
    const { folder, remove } = createFolder()
    const database = await openDatabase({ kind: 'embedded', folder, opener: 'server' }, createLog('silent'))
    const end = keepActive(database, 'bob')
    try {
      await setTimeout(500)
      const begun = performance.now()
      const milliseconds = 50
      let ended = 0
      const slow = async () => {
        while (performance.now() - begun < 3_000) {
          await database.for({ account: 'ada' }).read.run(sleep(milliseconds / 1_000))
          ended += 1
        }
      }
      await Promise.all([slow(), slow(), slow()])
      expect(ended * milliseconds).toBeLessThan((performance.now() - begun) * 0.7)
    } finally {
      await end()
      await database.close()
      await remove()
    }
  })
})
