import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The maximum number of bytes parsed in one turn of the event loop, and of one connection before the others get their turn. */
const bytesInTurn = 32 * 1024
const bytesAtOnce = 20 * 1024

/**
 * How many bytes each part counts as at least. Node.js accepts one connection in each turn, so a turn that handled hundreds of tiny
 * requests would keep new clients waiting for seconds.
 */
const leastCounted = 2 * 1024

const costOf = (bytes: Buffer) => Math.max(bytes.length, leastCounted)

const nothing = Buffer.alloc(0)

/** What has arrived on a connection and is not parsed yet. */
class Arrival {
  left: Buffer = nothing
  /** Whether parsed requests must be answered before more are parsed. */
  isHeld = false
  /** Whether Node.js does not want to read, because a body is not consumed or responses are not received. */
  isPaused = false
  readonly socket: Socket
  readonly pause: () => void
  readonly resume: () => void
  parse: (bytes: Buffer) => void

  constructor(socket: Socket) {
    const parsers = socket.listeners('data')
    this.socket = socket
    this.pause = socket.pause.bind(socket)
    this.resume = socket.resume.bind(socket)
    this.parse = (bytes) => {
      for (const parser of parsers) Reflect.apply(parser, socket, [bytes])
    }
  }

  get mayContinue(): boolean {
    return !this.isHeld && !this.isPaused && !this.socket.destroyed
  }
}

/**
 * Parses what arrives at a server in small parts, in which its connections take turns, so that clients that pipeline thousands of small
 * requests do not block the event loop. Node.js itself parses up to 64 KiB of each connection at once.
 */
export class Arrivals {
  readonly #arrivals = new WeakMap<Duplex, Arrival>()
  readonly #waiting = new Set<Arrival>()
  #parsed = 0
  #isScheduled = false

  /** Takes over the connections of a server. */
  constructor(server: Server) {
    server.on('connection', (socket) => this.#takeOver(socket))
  }

  /** Parses no more requests of a connection, until `release`. */
  hold(socket: Duplex): void {
    const arrival = this.#arrivals.get(socket)
    if (!arrival) return
    arrival.isHeld = true
    this.#stop(arrival)
  }

  release(socket: Duplex): void {
    const arrival = this.#arrivals.get(socket)
    if (!arrival) return
    arrival.isHeld = false
    this.#continue(arrival)
  }

  /** Discards whatever else arrives on a connection. */
  discard(socket: Duplex): void {
    const arrival = this.#arrivals.get(socket)
    if (!arrival) return
    arrival.parse = () => undefined
    arrival.isPaused = false
    this.release(socket)
  }

  /** Whether a part of what has arrived is not parsed yet, or not read. */
  isBehind(socket: Duplex): boolean {
    const arrival = this.#arrivals.get(socket)
    return arrival !== undefined && (!arrival.mayContinue || arrival.left.length > 0)
  }

  #takeOver(socket: Socket): void {
    const arrival = new Arrival(socket)
    this.#arrivals.set(socket, arrival)
    socket.removeAllListeners('data')
    // With a listener of ours, Node.js no longer parses beneath the stream.
    socket.on('data', (bytes: Buffer) => this.#receive(arrival, bytes))
    socket.pause = () => {
      arrival.isPaused = true
      this.#stop(arrival)
      return socket
    }
    socket.resume = () => {
      arrival.isPaused = false
      this.#continue(arrival)
      return socket
    }
    socket.on('close', () => {
      arrival.left = nothing
      this.#waiting.delete(arrival)
    })
  }

  #receive(arrival: Arrival, bytes: Buffer): void {
    this.#schedule()
    const isSmall = bytes.length <= bytesAtOnce && this.#parsed + costOf(bytes) <= bytesInTurn
    if (isSmall && arrival.left.length === 0 && arrival.mayContinue) {
      this.#parsed += costOf(bytes)
      arrival.parse(bytes)
      return
    }
    arrival.left = arrival.left.length === 0 ? bytes : Buffer.concat([arrival.left, bytes])
    arrival.pause()
    if (arrival.mayContinue) this.#waiting.add(arrival)
  }

  #stop(arrival: Arrival): void {
    this.#waiting.delete(arrival)
    arrival.pause()
  }

  #continue(arrival: Arrival): void {
    if (!arrival.mayContinue) return
    if (arrival.left.length === 0) {
      arrival.resume()
      return
    }
    this.#waiting.add(arrival)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    this.#parsed = 0
    for (const arrival of this.#waiting) {
      if (this.#parsed >= bytesInTurn) break
      this.#waiting.delete(arrival)
      const part = arrival.left.subarray(0, bytesAtOnce)
      arrival.left = arrival.left.subarray(part.length)
      this.#parsed += costOf(part)
      arrival.parse(part)
      this.#continue(arrival)
    }
    if (this.#waiting.size > 0) this.#schedule()
  }
}
