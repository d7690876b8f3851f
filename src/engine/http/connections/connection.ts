import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How long a connection that was ended is still read, in milliseconds. If it closed at once, unread input would keep its client
 * from reading the end.
 */
const graceMs = 1_000

const nothing = Buffer.alloc(0)
const blankLine = '\r\n\r\n'

const lineBreaks: ReadonlySet<number | undefined> = new Set([10, 13])

/**
 * A connection whose requests are parsed one at a time: the next one when the one before it has its response. Node.js itself would parse
 * and start all that have arrived.
 */
export class Connection {
  readonly #socket: Socket
  readonly #parse: (bytes: Buffer) => void
  #left: Buffer = nothing
  /** The response to the last request. */
  #response: ServerResponse | undefined
  /** Whether a part of the headers of a request has arrived. */
  #hasBegun = false
  #isAnswering = false
  /** How many bytes of the body of that request are not parsed yet. 0 for a chunked body. */
  #bodyLeft = 0
  #isEnded = false

  /** Takes the connection over from Node.js's server, before anything is read from it. */
  constructor(socket: Socket) {
    const parsers = socket.listeners('data')
    this.#socket = socket
    this.#parse = (bytes) => {
      for (const parser of parsers) Reflect.apply(parser, socket, [bytes])
    }
    socket.removeAllListeners('data')
    socket.on('data', (bytes: Buffer) => {
      if (this.#isEnded) return
      this.#left = this.#left.length === 0 ? bytes : Buffer.concat([this.#left, bytes])
      this.#continue()
    })
    // Node.js calls it after the last response.
    socket.destroySoon = () => this.end()
  }

  /** The response to the last request. */
  get response(): ServerResponse | undefined {
    return this.#response
  }

  /** Whether a request is arriving, or waits for its response. */
  get isBusy(): boolean {
    return this.#hasBegun || this.#isAnswering || this.#response?.req.complete === false
  }

  /** Notes a request whose headers are complete, by its response. */
  begin(response: ServerResponse): void {
    this.#hasBegun = false
    this.#response = response
    this.#isAnswering = true
    this.#bodyLeft = Number(response.req.headers['content-length'] ?? 0)
    response.once('close', () => {
      this.#isAnswering = false
      // Other connections are served between the requests of one.
      if (this.#left.length > 0) setImmediate(() => this.#continue())
    })
  }

  /** Ends the connection, after a last text if there is one. What still arrives is discarded. */
  end(text = ''): void {
    this.#isEnded = true
    this.#left = nothing
    this.#socket.end(text)
    this.#socket.resume()
    const timer = setTimeout(() => this.#socket.destroy(), graceMs).unref()
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #continue(): void {
    const hasWaited = this.#left.length > 0 && this.#socket.isPaused()
    while (this.#left.length > 0 && !this.#socket.destroyed) {
      const isBody = this.#response?.req.complete === false
      if (this.#isAnswering && !isBody) break
      const piece = this.#nextPiece()
      this.#left = piece.length < this.#left.length ? this.#left.subarray(piece.length) : nothing
      this.#bodyLeft = Math.max(0, this.#bodyLeft - piece.length)
      if (!lineBreaks.has(piece[0])) this.#hasBegun ||= !this.#isAnswering && !isBody
      this.#parse(piece)
    }
    // Node.js resumes the socket after each request.
    if (this.#left.length > 0) this.#socket.pause()
    else if (hasWaited) this.#socket.resume()
  }

  /**
   * The parser begins every request whose headers are complete. A piece therefore ends where a request can begin: after a body of known
   * length, after the line breaks that it begins with, such as the rest of a blank line, or after the first blank line, which ends headers
   * and chunked bodies.
   */
  #nextPiece(): Buffer {
    if (this.#bodyLeft > 0) return this.#left.subarray(0, this.#bodyLeft)
    let breaks = 0
    while (lineBreaks.has(this.#left[breaks])) breaks += 1
    if (breaks > 0) return this.#left.subarray(0, breaks)
    const end = this.#left.indexOf(blankLine)
    return end === -1 ? this.#left : this.#left.subarray(0, end + blankLine.length)
  }
}
