import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { timeouts } from '../timeouts.ts'
import { type AcceptedConnections, ConnectionsFirst } from '../turns/connections-first.ts'
import { WaitingLines } from '../turns/waiting-lines.ts'
import { Arrival, bytesOfPiece, type Part } from './arrival.ts'

/** The maximum number of bytes that are parsed in one turn of the event loop, and the maximum time in milliseconds. */
const inTurn = { bytes: 32 * 1024, time: 3 } as const

/** How many new connections begin to be read in one turn, at most. Node.js reads up to 128 KiB of each before a pause takes effect. */
const newInTurn = 4

/** The maximum number of pieces of one connection that are parsed before others get their turn. */
const piecesAtOnce = 40

/** How many bytes of a connection may wait before it is no longer read. Only reading reveals that the client has disconnected. */
const bytesWhileRead = 16 * 1024

/**
 * Most requests are at most this many bytes long, and each part counts as at least this many. Node.js accepts one connection in each turn,
 * so a turn that handled hundreds of tiny requests would keep new clients waiting for seconds.
 */
const small = 2 * 1024

/**
 * Parses what arrives at a server in small parts, so that clients that pipeline thousands of small requests do not block the event loop.
 * Node.js itself parses up to 64 KiB of each connection at once. Addresses take turns, and so do the connections of one address; a small
 * request does not wait for large ones, unless it is pipelined.
 */
export class Arrivals {
  readonly #arrivals = new WeakMap<Duplex, Arrival>()
  readonly #connectionsFirst: ConnectionsFirst
  /** The connections that have not been read yet. Reading hundreds at once would delay the next ones. */
  readonly #new = new WaitingLines<Part>()
  readonly #small = new WaitingLines<Part>()
  readonly #large = new WaitingLines<Part>()
  /** The part of this turn that is used, by bytes and by time; 1 is all of it. */
  #usedBytes = 0
  #usedTime = 0
  #isScheduled = false

  /** Takes over the connections of a server. */
  constructor(server: Server, accepted: AcceptedConnections) {
    this.#connectionsFirst = new ConnectionsFirst(accepted)
    server.on('connection', (socket) => this.#takeOver(socket))
    server.on('request', ({ socket }, response) => this.#arrivals.get(socket)?.begin(response))
  }

  /** Parses no more requests of a connection, until `release`. */
  hold(socket: Duplex): void {
    const arrival = this.#arrivals.get(socket)
    if (!arrival) return
    arrival.isHeld = true
    this.#leave(arrival)
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
    arrival.discard()
    this.release(socket)
  }

  /** Ends a connection, after a last text if there is one. What arrives is discarded for a moment, so that its client gets to read the end. */
  end(socket: Duplex, text = ''): void {
    this.discard(socket)
    socket.end(text)
    const timer = setTimeout(() => socket.destroy(), timeouts.linger).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  /** Begins the next of the pipelined requests of a connection when its turn comes. */
  beginInTurn(socket: Duplex, begin: () => void): void {
    const arrival = this.#arrivals.get(socket)
    if (!arrival) return
    const part = () => {
      begin()
      return 0
    }
    this.#large.add(arrival.address, part)
    this.#schedule()
  }

  /** The response to the last request on a connection whose headers are complete. */
  lastResponse(socket: Duplex): ServerResponse | undefined {
    return this.#arrivals.get(socket)?.response
  }

  /** Whether the request whose headers are being parsed on a connection is a HEAD request. */
  isHead(socket: Duplex): boolean {
    return this.#arrivals.get(socket)?.isHead ?? false
  }

  /** Whether a part of what has arrived on a connection is not parsed, or nothing has been read. */
  isBehind(socket: Duplex): boolean {
    return this.#arrivals.get(socket)?.isBehind ?? false
  }

  #takeOver(socket: Socket): void {
    const arrival = new Arrival(socket, (arrival) => this.#parseNext(arrival))
    const beginToRead = () => {
      this.#continue(arrival)
      // What has already arrived is read in the next iteration of the event loop.
      setImmediate(() => (arrival.isNew = false))
      return 0
    }
    this.#arrivals.set(socket, arrival)
    socket.removeAllListeners('data')
    // With a listener of ours, Node.js no longer parses beneath the stream.
    socket.on('data', (bytes: Buffer) => this.#receive(arrival, bytes))
    socket.pause = () => {
      arrival.isPaused = true
      this.#leave(arrival)
      arrival.pause()
      return socket
    }
    socket.resume = () => {
      arrival.isPaused = false
      this.#continue(arrival)
      return socket
    }
    // Node.js calls it after the last response. If it closed the connection at once, unread input would keep the client from reading it.
    socket.destroySoon = () => this.end(socket)
    socket.on('close', () => {
      this.#new.delete(arrival.address, beginToRead)
      this.#leave(arrival)
      arrival.clear()
    })
    this.#new.add(arrival.address, beginToRead)
    this.#schedule()
  }

  #receive(arrival: Arrival, bytes: Buffer): void {
    const isNext = arrival.left.length === 0 && arrival.mayContinue && this.#lineOf(bytes).isEmpty
    const isShort = bytes.length <= piecesAtOnce * bytesOfPiece
    if (isNext && isShort && this.#used + bytes.length / inTurn.bytes <= 1) {
      this.#schedule()
      arrival.left = bytes
      this.#count(arrival.parseNext)
      return
    }
    const line = this.#lineOf(arrival.left)
    arrival.left = arrival.left.length === 0 ? bytes : Buffer.concat([arrival.left, bytes])
    // If the line is the same, it keeps its place.
    if (this.#lineOf(arrival.left) !== line) line.delete(arrival.address, arrival.parseNext)
    if (arrival.left.length > bytesWhileRead) arrival.pause()
    if (arrival.mayContinue) this.#wait(arrival)
  }

  #lineOf({ length }: Buffer): WaitingLines<Part> {
    return length <= small ? this.#small : this.#large
  }

  #wait(arrival: Arrival): void {
    this.#lineOf(arrival.left).add(arrival.address, arrival.parseNext)
    this.#schedule()
  }

  #leave(arrival: Arrival): void {
    this.#lineOf(arrival.left).delete(arrival.address, arrival.parseNext)
  }

  #continue(arrival: Arrival): void {
    if (arrival.isPaused || arrival.socket.destroyed) return
    if (arrival.left.length <= bytesWhileRead) arrival.resume()
    if (arrival.isHeld || arrival.left.length === 0) return
    this.#wait(arrival)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    if (this.#connectionsFirst.endIteration()) {
      this.#schedule()
      return
    }
    this.#usedBytes = 0
    this.#usedTime = 0
    // Four new connections use a quarter of a turn. Large requests get a part of each turn, however many small ones arrive.
    for (let read = 0; read < newInTurn && this.#handleNext(this.#new); read += 1);
    this.#handle(this.#small, 3 / 4)
    this.#handleNext(this.#large)
    this.#handle(this.#large, 1)
    this.#handle(this.#small, 1)
    this.#connectionsFirst.noteWork()
    if (!this.#new.isEmpty || !this.#small.isEmpty || !this.#large.isEmpty) this.#schedule()
  }

  get #used(): number {
    return Math.max(this.#usedBytes, this.#usedTime)
  }

  /** Handles what waits in these lines until this part of the turn is used. */
  #handle(lines: WaitingLines<Part>, most: number): void {
    while (this.#used < most && this.#handleNext(lines));
  }

  /** Returns false if nothing waits. */
  #handleNext(lines: WaitingLines<Part>): boolean {
    const taken = lines.take()
    if (taken) lines.charge(taken.owner, this.#count(taken.item))
    return taken !== undefined
  }

  #parseNext(arrival: Arrival): number {
    let bytes = 0
    for (let pieces = 0; pieces < piecesAtOnce && arrival.left.length > 0 && arrival.mayContinue; pieces += 1) {
      bytes += arrival.parsePiece()
    }
    this.#continue(arrival)
    return bytes
  }

  /** Handles a part, and returns how many milliseconds it counts as. */
  #count(part: Part): number {
    const begun = performance.now()
    const bytes = Math.max(part(), small) / inTurn.bytes
    const time = (performance.now() - begun) / inTurn.time
    this.#usedBytes += bytes
    this.#usedTime += time
    return Math.max(bytes, time) * inTurn.time
  }
}
