import { afterEach, expect, test } from 'vitest'
import type { DatabaseOptions } from '../../src/engine/data/database.ts'
import { scopes } from '../../src/features/base/scopes.ts'
import { audit } from '../support/feed/audit.ts'
import { createFolder } from '../support/folder.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { join, use } from './network.ts'

const seed = Number(process.env.SEED ?? Date.now() % 100_000)
afterEach(endProcesses)

test('mirrors that only the feed keeps are what the queries say after the server was killed', async () => {
  const { folder, remove } = createFolder()
  const database: DatabaseOptions = { kind: 'embedded', folder, opener: 'command' }
  const cast = await use(database, async (open) => ({
    members: await Promise.all(['ada', 'bob', 'cyd', 'dan', 'eve'].map((name) => join(open, name))),
    moderator: await join(open, 'mo', scopes),
    reader: await join(open, 'ray'),
  }))
  const start = () => startRookery({ DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'silent', RATE_LIMIT: 'off' })
  let server: ServerProcess = await start()
  const size = { rounds: 6, steps: 12, mirrors: 3 }
  const { applied, compared } = await audit({
    seed,
    ...cast,
    ...size,
    origin: () => server.origin,
    // The embedded database has one connection, so no transaction is open once all have written.
    settle: async () => undefined,
    during: async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      server.signal('SIGKILL')
      await server.ended
      server = await start()
    },
  })
  expect(applied).toBeGreaterThan(0)
  expect(compared).toBeGreaterThan(size.rounds * size.mirrors)
  await endProcesses()
  await remove()
})
