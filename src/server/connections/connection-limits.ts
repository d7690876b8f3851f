import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { Log } from '../../log.ts'
import { countedAddress } from './client-address.ts'
import { OpeningLimit } from './opening-limit.ts'

/**
 * How many times its maximum number of connections an address may open in a second. Serving one takes about 0.2 milliseconds, even if it
 * is closed as soon as it has a socket.
 */
const timesOpened = 2

/**
 * How much of the heap a connection may take, as a multiple of the maximum size of its headers. Unfinished headers are kept as text, and
 * Node.js adds objects of its own.
 */
const headersInHeap = 2

/** The maximum number of connections of a process, from all addresses, so that their unfinished headers fit into its heap. */
export function connectionsInHeap(headerSize: number): number {
  return Math.floor(getHeapStatistics().heap_size_limit / (headersInHeap * headerSize))
}

/** Limits the connections of all addresses. Any more are closed as soon as they are accepted. */
export function limitAllConnections(server: Server, most: number, log: Log): void {
  const warn = rareWarning(log, 'the process has the maximum number of connections; further ones are closed')
  server.maxConnections = most
  server.on('drop', () => warn({ most }))
}

/** Returns a function that logs this warning, with more fields, at most once a second. */
function rareWarning(log: Log, message: string): (fields: object) => void {
  let logged = Number.NEGATIVE_INFINITY
  return (fields) => {
    const now = performance.now()
    if (now - logged < 1_000) return
    logged = now
    log.warn(fields, message)
  }
}

/** How many connections or requests each address has. */
export class Presence {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more, until `leave`. False if the address already has the most. */
  enter(address: string): boolean {
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#most) return false
    this.#counts.set(address, count + 1)
    return true
  }

  leave(address: string): void {
    const count = this.#counts.get(address) ?? 0
    if (count > 1) this.#counts.set(address, count - 1)
    else this.#counts.delete(address)
  }
}

/** How `limitConnections` limits the connections of an address. */
export type ConnectionLimits = {
  /** The maximum at a time. `timesOpened` times as many may be opened at once, and as many again each second. */
  readonly most: number
  /** What a connection beyond the maximum at a time gets before it is closed. */
  readonly message: () => string
  readonly log: Log
}

/**
 * Limits the connections of an address. Those that it opens too fast are closed, and no listener that was added before this call learns
 * of them.
 */
export function limitConnections(server: Server, { most, message, log }: ConnectionLimits): void {
  const presence = new Presence(most)
  const perSecond = timesOpened * most
  const warn = rareWarning(log, 'an address opens connections too fast; further ones are closed')
  const openings = new OpeningLimit(perSecond, (address) => warn({ address, perSecond }))
  const isApplied = openings.applyTo(server)
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined) {
      // The client reset the connection before it was accepted.
      socket.destroy()
      return
    }
    if (!isApplied && openings.check(remoteAddress)) {
      socket.resetAndDestroy()
      return
    }
    const address = countedAddress(remoteAddress)
    for (const listener of listeners) Reflect.apply(listener, server, [socket])
    if (presence.enter(address)) {
      socket.once('close', () => presence.leave(address))
    } else {
      socket.end(message(), () => socket.destroy())
    }
  })
}
