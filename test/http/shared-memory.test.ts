import { once } from 'node:events'
import { expect, test } from 'vitest'
import { readBody } from '../../src/http/body.ts'
import { SharedMemory } from '../../src/http/shared-memory.ts'
import { maxRequestMemory } from '../../src/server/served-request.ts'
import { serve } from '../support/bare-server.ts'

/** Bodies that are counted, and which of them were refused. */
function counter() {
  const bodies = new SharedMemory(maxRequestMemory)
  const refused: string[] = []
  let size = 0
  const begin = (address: string, bytes: number) => {
    let counted = 0
    const body = bodies.begin(address, () => {
      refused.push(address)
      size -= counted
    })
    return {
      grow: () => {
        size += bytes
        counted += bytes
        body.resize(counted)
      },
    }
  }
  return { bodies, refused, begin, size: () => size }
}

test('as many bodies are refused as exceed the limit, those of the address with the most bytes first', () => {
  const { refused, begin, size } = counter()
  for (let at = 0; at < 20_000; at += 1) begin('10.0.0.1', 2_048).grow()
  begin('10.0.0.2', maxRequestMemory / 2).grow()
  expect(size()).toBeLessThanOrEqual(maxRequestMemory)
  expect(new Set(refused)).toEqual(new Set(['10.0.0.1']))
  begin('10.0.0.3', maxRequestMemory / 4).grow()
  expect(size()).toBeLessThanOrEqual(maxRequestMemory)
  expect(refused.at(-1)).toBe('10.0.0.2')
})

test('a body that nobody needs after the response takes no memory any more, although its client leaves later', async () => {
  const { bodies, refused, begin } = counter()
  const controller = new AbortController()
  const readings: Promise<unknown>[] = []
  const { open } = await serve((request, response) => {
    readings.push(
      readBody(
        request,
        controller,
        bodies.begin('10.0.0.4', () => undefined),
      ).catch(String),
    )
    request.once('data', () => {
      controller.abort()
      response.end()
    })
  })
  const [socket] = await open(1)
  socket?.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n')
  socket?.write('x'.repeat(100_000))
  await (socket && once(socket, 'data'))
  socket?.destroy()
  expect(await readings[0]).toContain('incomplete')
  begin('10.0.0.5', maxRequestMemory).grow()
  expect(refused).toEqual([])
})
