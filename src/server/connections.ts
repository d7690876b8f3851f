import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from './client-address.ts'

/** How many times as many connections as it may have an address may open in a second. Each takes some 0.2 milliseconds, however short it is. */
const timesInSecond = 2

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

/** Counts what each address begins in the current second. */
class Rate {
  readonly #most: number
  #begun = Number.NEGATIVE_INFINITY
  #presence: Presence

  constructor(most: number) {
    this.#most = most
    this.#presence = new Presence(most)
  }

  /** Counts one more. False if the address has already begun the most in this second. */
  enter(address: string): boolean {
    const now = performance.now()
    if (now - this.#begun >= 1_000) {
      this.#begun = now
      this.#presence = new Presence(this.#most)
    }
    return this.#presence.enter(address)
  }
}

/**
 * Limits the connections of an address. Those beyond the most at a time get a message and are closed. Those beyond twice as many in a
 * second are reset before anything is prepared for their requests. Call this when everything else listens for connections.
 */
export function limitConnections(server: Server, most: number, message: () => string): void {
  const presence = new Presence(most)
  const rate = new Rate(timesInSecond * most)
  const open = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    // Undefined if the client has reset the connection before it was accepted.
    const { remoteAddress } = socket
    if (remoteAddress === undefined || !rate.enter(countedAddress(remoteAddress))) {
      socket.resetAndDestroy()
      return
    }
    for (const listener of open) Reflect.apply(listener, server, [socket])
    const address = countedAddress(remoteAddress)
    if (presence.enter(address)) {
      socket.once('close', () => presence.leave(address))
    } else {
      socket.write(message())
      socket.destroySoon()
    }
  })
}
