import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { countedAddress } from './client-address.ts'

/** The maximum number of bytes that the parser gets at a time. */
export const bytesOfPiece = 512

/**
 * How many chunks of a body may be parsed before it is read. Node.js limits only their bytes, and a chunk of one byte takes about a hundred
 * times its size in memory.
 */
const chunksUnread = 100

/**
 * How many bytes of a body that its request does not need are parsed before the response. The rest is discarded unparsed, and the
 * connection ends with the response. Parsing a body of one-byte chunks takes as long as a query.
 */
const maxUnneeded = 16 * 1024

/** How many bytes surround a short chunk in a chunked body (RFC 9112, section 7.1). */
const leastFraming = '1\r\n\r\n'.length

const nothing = Buffer.alloc(0)

const blankLine = '\r\n\r\n'

const head = 'HEAD '

const isLineBreak = (byte: number | undefined) => byte === 13 || byte === 10

/** A part of the work on a connection, which begins in its turn. Returns the number of bytes that it has handled. */
export type Part = () => number

/** What has arrived on a connection and is not parsed yet. */
export class Arrival {
  left: Buffer = nothing
  /** Whether parsed requests must be answered before more are parsed. */
  isHeld = false
  /** Whether the connection has not been read yet. */
  isNew = true
  /** Whether no more may be parsed, because a body is not read or responses are not received. Node.js resumes the connection then. */
  isPaused = false
  readonly socket: Socket
  readonly address: string
  readonly pause: () => void
  readonly resume: () => void
  /** Parses the next part of what is left, in its turn. Returns the number of bytes. */
  readonly parseNext: Part
  #response: ServerResponse | undefined
  /** How many bytes of its body are not parsed yet. 0 for a chunked body. */
  #bodyLeft = 0
  /** An upper bound of the chunks of its body that were parsed while nothing read it. */
  #unread = 0
  /** How many bytes of its body were parsed although it does not need them. */
  #unneeded = 0
  /** The first characters of the request after it. */
  #start = ''
  #isDiscarded = false
  readonly #parse: (bytes: Buffer) => void

  constructor(socket: Socket, parseNext: (arrival: Arrival) => number) {
    this.parseNext = () => parseNext(this)
    const parsers = socket.listeners('data')
    this.socket = socket
    this.address = countedAddress(socket.remoteAddress ?? '')
    this.pause = socket.pause.bind(socket)
    this.resume = socket.resume.bind(socket)
    this.#parse = (bytes) => {
      for (const parser of parsers) Reflect.apply(parser, socket, [bytes])
    }
  }

  get mayContinue(): boolean {
    return !this.isHeld && !this.isPaused && !this.socket.destroyed
  }

  /** Whether a part of what has arrived is not parsed yet or never will be, or nothing has been read. */
  get isBehind(): boolean {
    return this.isNew || this.#isDiscarded || !this.mayContinue || this.left.length > 0
  }

  /** Whether the request whose headers are being parsed is a HEAD request. */
  get isHead(): boolean {
    return this.#start === head
  }

  /** The response to the last request whose headers are complete. */
  get response(): ServerResponse | undefined {
    return this.#response
  }

  /** Notes a request whose headers are complete, by its response. */
  begin(response: ServerResponse): void {
    this.#response = response
    this.#bodyLeft = Number(response.req.headers['content-length'] ?? 0)
    this.#unread = 0
    this.#unneeded = 0
    this.#start = ''
  }

  /** Drops what is left. */
  clear(): void {
    this.left = nothing
  }

  /** Parses nothing more: what is left and whatever else arrives is discarded. */
  discard(): void {
    this.#isDiscarded = true
    this.isPaused = false
  }

  /** Parses the next piece, and returns the number of its bytes. */
  parsePiece(): number {
    if (this.#isDiscarded) {
      this.clear()
      return 0
    }
    const piece = this.#nextPiece()
    this.left = this.left.subarray(piece.length)
    if (this.#bodyLeft > 0) this.#bodyLeft -= piece.length
    this.#noteStart(piece)
    const request = this.#response?.req
    const before = request?.readableLength ?? 0
    this.#parse(piece)
    if (request && !request.complete) {
      this.#noteUnneeded(request, piece.length)
      this.#noteChunks(request, piece.length, request.readableLength - before)
    }
    return piece.length
  }

  /**
   * The parser begins every request whose headers are complete. A piece therefore ends where a request can begin: after a body of known
   * length, after the line breaks that it begins with, such as the rest of a blank line, or after the first blank line, which ends headers
   * and chunked bodies.
   */
  #nextPiece(): Buffer {
    if (this.#bodyLeft > 0) return this.left.subarray(0, Math.min(bytesOfPiece, this.#bodyLeft))
    const piece = this.left.subarray(0, bytesOfPiece)
    let breaks = 0
    while (isLineBreak(piece[breaks])) breaks += 1
    if (breaks > 0) return piece.subarray(0, breaks)
    const end = piece.indexOf(blankLine)
    return end === -1 ? piece : piece.subarray(0, end + blankLine.length)
  }

  /** Notes the beginning of the next request, unless this piece belongs to the body of the last one. */
  #noteStart(piece: Buffer): void {
    if (this.#response?.req.complete === false || this.#start.length === head.length) return
    // Empty lines may precede a request (RFC 9112, section 2.2).
    const text = this.#start + piece.toString('latin1', 0, 2 + head.length)
    this.#start = text.trimStart().slice(0, head.length)
  }

  /** Discards the rest of a large body that nobody reads. After a response, Node.js reads and drops bodies like this, too. */
  #noteUnneeded(request: IncomingMessage, bytes: number): void {
    const response = this.#response
    if (!request.readableFlowing || request.listenerCount('data') > 0 || !response || response.headersSent) return
    this.#unneeded += bytes
    if (this.#unneeded <= maxUnneeded) return
    response.shouldKeepAlive = false
    this.discard()
  }

  /**
   * Pauses the connection if many chunks of a body are not read. Node.js resumes it when the body is read or the response ends, but only if
   * the last piece has added to the body.
   */
  #noteChunks(request: IncomingMessage, bytes: number, added: number): void {
    if (request.readableFlowing) return
    this.#unread += 1 + (bytes - added) / leastFraming
    if (added > 0 && this.#unread > chunksUnread) this.isPaused = true
  }
}
