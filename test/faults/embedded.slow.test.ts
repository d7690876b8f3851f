import { afterEach, expect, test } from 'vitest'
import type { DatabaseOptions } from '../../src/engine/data/database.ts'
import { createFolder } from '../support/folder.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { populate } from './network.ts'
import { underLoad } from './scenario.ts'

const kills = 4
afterEach(endProcesses)

test('a server with an embedded database that is killed', async () => {
  const { folder, remove } = createFolder()
  const database: DatabaseOptions = { kind: 'embedded', folder, opener: 'command' }
  const network = await populate(database)
  const start = () => startRookery({ DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'silent' })
  let server: ServerProcess = await start()
  const target = { ...network, origins: () => [server.origin] }
  const ledger = await underLoad(target, database, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      server.signal('SIGKILL')
      await server.ended
      server = await start()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  })
  expect(ledger.codes.LOST).toBeGreaterThan(0)
  await endProcesses()
  await remove()
})
