import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from '../works/speaker.ts'
import { addresses, type Strike, type Tally, type Target } from './attack.ts'
import { mostRequests } from './flood.ts'

/** What a socket does until its time is over: it may throw as soon as the server ends it. */
type Life = (socket: Socket, until: number, tally: Tally) => Promise<void>

/** A pause before a socket that ended is replaced, in milliseconds. */
const betweenSockets = 50

/** The text of a request in HTTP/1.1. */
export function textOf({ method, path, headers, body }: Request): string {
  const all = { host: 'localhost', ...headers, ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** Begins to connect. Errors of the socket are ignored. */
export function begin({ origin }: Target): Socket {
  const { hostname, port } = new URL(origin)
  return connect({ host: hostname, port: Number(port), localAddress: addresses.attacker }).on('error', () => undefined)
}

function open(target: Target): Promise<Socket> {
  const socket = begin(target)
  // Before it connects, so that nothing is read unless its life reads.
  socket.pause()
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Keeps so many sockets open, each with a life of its own, and replaces those that end. */
export function sockets(target: Target, count: number, life: Life): Strike {
  return async (until, tally) => {
    let opened = 0
    const live = async () => {
      while (performance.now() < until && tally.requests < mostRequests) {
        const socket = await open(target).catch(() => undefined)
        if (!socket) tally.broken += 1
        else opened += 1
        try {
          if (socket) await life(socket, until, tally)
        } catch {
          tally.broken += 1
        } finally {
          socket?.destroy()
        }
        await sleep(betweenSockets)
      }
    }
    await Promise.race([Promise.all(Array.from({ length: count }, live)), sleep(until - performance.now() + 500)])
    return opened === count ? undefined : `${opened} sockets opened`
  }
}

/** Writes a text; waits until it is away, rejects when the socket has ended. */
export function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) reject(new Error('The server ended the connection.'))
    else socket.write(text, (error) => (error ? reject(error) : resolve()))
  })
}

/** Counts the answers that a socket reads by the status lines in them. */
export function readAnswers(socket: Socket, tally: Tally): void {
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1')
    for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) tally.count(Number(status), '')
    rest = /(H|HT|HTT|HTTP[^\r]{0,8})$/.exec(text)?.[0] ?? ''
  })
  socket.resume()
}
