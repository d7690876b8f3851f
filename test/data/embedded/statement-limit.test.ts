import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/data/database.ts'
import { createLog } from '../../../src/log.ts'
import { createFolder } from '../../support/database.ts'

describe('an embedded database that serves requests', () => {
  test('ends a statement after three seconds and is ready again', { timeout: 120_000 }, async () => {
    const { folder, remove } = createFolder()
    const database = await openDatabase({ kind: 'embedded', folder, opener: 'server' }, createLog('silent'))
    try {
      const begun = performance.now()
      await expect(database.runReserved('SELECT pg_sleep(600)', [])).rejects.toThrow()
      expect(performance.now() - begun).toBeGreaterThan(2_900)
      const isReady = () =>
        database.ping().then(
          () => true,
          () => false,
        )
      await expect.poll(isReady, { timeout: 60_000 }).toBe(true)
    } finally {
      await database.close()
      await remove()
    }
  })
})
