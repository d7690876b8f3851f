import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { LoopTurns } from '../../src/server/loop-turns.ts'

/** Occupies the event loop for longer than a turn may take. */
function occupyLoop(): void {
  const end = performance.now() + 20
  while (performance.now() < end);
}

test('a step that waits for its turn resumes after what arrived meanwhile is read', async () => {
  const turns = new LoopTurns()
  const seen: string[] = []
  let resumed: Promise<unknown> | undefined
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      seen.push(String(data))
      if (String(data) !== 'expensive request') return
      expect(turns.next('ada')).toBeUndefined()
      other.write('health check')
      occupyLoop()
      resumed = turns.next('ada')?.then(() => seen.push('next step'))
    })
  }).listen(0)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  const [client, other] = [connect(address.port), connect(address.port)]
  await Promise.all([once(client, 'connect'), once(other, 'connect')])
  client.write('expensive request')
  await expect.poll(() => seen.length).toBe(3)
  await resumed
  expect(seen).toEqual(['expensive request', 'health check', 'next step'])
  for (const socket of [client, other]) socket.destroy()
  server.close()
})
