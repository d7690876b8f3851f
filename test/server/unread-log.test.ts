import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandDatabase } from '../support/command-database.ts'
import { createFolder } from '../support/database.ts'
import { endProcesses, startRookery } from '../support/rookery-process.ts'

const { folder, remove } = createFolder()
const database = await commandDatabase()
afterAll(async () => {
  await endProcesses()
  await database.remove()
  await remove()
})

test('requests do not wait for the reader of the log', async () => {
  const pipe = join(folder, 'log')
  const intoPipe = ['sh', '-c', `mkfifo "${pipe}" && exec "$@" 2<> "${pipe}"`, 'sh']
  const { origin } = await startRookery({ ...database.env, RATE_LIMIT: 'off' }, intoPipe)
  // A pipe that nobody reads takes 64 KiB.
  const path = `/${'a'.repeat(1_000)}`
  for (let requests = 0; requests < 200; requests += 1) {
    const { status } = await fetch(origin + path, { signal: AbortSignal.timeout(5_000) })
    expect(status).toBe(404)
  }
})
