import type { Server } from 'node:http'
import { countedAddress } from './client-address.ts'

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

/** Sends a message to connections beyond the most that an address may have, and closes them. */
export function limitConnections(server: Server, most: number, message: () => string): void {
  const presence = new Presence(most)
  server.on('connection', (socket) => {
    const address = countedAddress(socket.remoteAddress ?? '')
    if (presence.enter(address)) {
      socket.once('close', () => presence.leave(address))
    } else {
      socket.write(message())
      socket.destroySoon()
    }
  })
}
