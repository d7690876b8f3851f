import { BlockList, createServer, type Server, type SocketAddress } from 'node:net'
import { countedAddress } from './client-address.ts'

/** Limits how fast each address opens connections. */
export class OpeningLimit extends BlockList {
  /** How long one connection counts, in milliseconds. Those of an address count one after the other. */
  readonly #interval: number
  /** How long the connections of an address may count when it opens another one. */
  readonly #longest: number
  readonly #onExcess: (address: string) => void
  /**
   * When the connections of each address will no longer count, as in the generic cell rate algorithm (ITU-T I.371). Addresses without
   * connections in the current and the previous second are forgotten.
   */
  #current = new Map<string, number>()
  #previous = new Map<string, number>()
  #begun = Number.NEGATIVE_INFINITY

  /** Each address may open so many at once, and as many again each second. */
  constructor(perSecond: number, onExcess: (address: string) => void) {
    super()
    this.#interval = 1_000 / perSecond
    // Exactly, it is one interval less. Half of one allows for rounding errors.
    this.#longest = 1_000 - this.#interval / 2
    this.#onExcess = onExcess
  }

  /** Counts a connection of an address. True if it exceeds the limit, so that it must be closed. */
  override check(opened: string | SocketAddress): boolean {
    const now = performance.now()
    if (now - this.#begun >= 1_000) {
      this.#begun = now
      this.#previous = this.#current
      this.#current = new Map()
    }
    const address = countedAddress(typeof opened === 'string' ? opened : opened.address)
    const known = this.#current.get(address) ?? this.#previous.get(address) ?? now
    const from = Math.max(known, now)
    const isExcess = from - now > this.#longest
    if (isExcess) this.#onExcess(address)
    else this.#current.set(address, from + this.#interval)
    return isExcess
  }

  /**
   * Lets a server close connections that exceed the limit before it creates sockets for them. False if this version of Node.js cannot do
   * that (before 22.13). Call `check` for each connection then.
   */
  applyTo(server: Server): boolean {
    // `http.createServer` does not pass this option of `net.createServer` on.
    Object.assign(server, { blockList: this })
    return asksBlockLists
  }
}

// The types are those of Node.js 20.
const options = { allowHalfOpen: true, blockList: new BlockList() }

/** Whether a server of this version of Node.js asks its block list about each connection. */
const asksBlockLists = 'blockList' in createServer(options)
