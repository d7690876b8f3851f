import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/server/config.ts'
import { serve } from '../../src/server/serve.ts'
import { keepLog } from '../support/database/statements.ts'
import { openTestDatabase } from '../support/database.ts'
import { portOf } from '../support/http/port.ts'

test('a server that cannot listen leaves no connection to Redis open, which would keep its process alive', async () => {
  let open = 0
  const redis = createServer((socket) => {
    open += 1
    socket.resume().on('close', () => {
      open -= 1
    })
  })
  await once(redis.listen(0, '127.0.0.1'), 'listening')
  const port = portOf(redis)
  const { log } = keepLog()
  const taken = readConfig({ PORT: String(port), REDIS_URL: `redis://127.0.0.1:${port}`, DEMO: 'off' })
  await expect(serve(await openTestDatabase(log), taken, log)).rejects.toThrow(ConfigError)
  await setTimeout(500)
  expect(open).toBe(0)
  await new Promise((resolve) => redis.close(resolve))
})
