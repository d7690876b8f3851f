import { Buffer } from 'node:buffer'

/** The type and the length that begin each message (PostgreSQL, "Message Formats"). The length counts itself, but not the type. */
const headerBytes = 5
const typeBytes = 1

/** The type of a message with a row. */
const dataRow = 'D'.charCodeAt(0)

/** What receives the rows of a statement. */
export type RowReceiver = {
  /** Receives a message with a row, without its header. It is complete when the statement has ended without an error. */
  readonly add: (message: Buffer) => void
  /** Called with the length of each row when it begins, in bytes. If it returns false, nothing is read any more. */
  readonly mayReceive: (bytes: number) => boolean
}

/**
 * Reads what a server sends on a connection, and forwards all messages but the rows of some statements. It has to read from the first
 * message on, because a message may begin and end anywhere in a chunk.
 */
export class MessageReader {
  /** Receives the rows that begin. They are forwarded while it is undefined. */
  receiver: RowReceiver | undefined
  readonly #forward: (part: Buffer) => void
  readonly #header = Buffer.alloc(headerBytes)
  #headerRead = 0
  /** What receives the row whose header is being read. */
  #receiver: RowReceiver | undefined
  /** How many bytes of the current message are missing after its header. */
  #left = 0
  /** The row that is being received. */
  #row: Buffer | undefined
  #hasEnded = false

  /** Calls `forward` with parts of messages, in their order. */
  constructor(forward: (part: Buffer) => void) {
    this.#forward = forward
  }

  read(chunk: Buffer): void {
    let at = 0
    /** Where the bytes that are not forwarded yet begin. */
    let begin = 0
    while (at < chunk.length && !this.#hasEnded) {
      const isReceived = this.#isReceived(chunk, at)
      if (isReceived && begin < at) this.#forward(chunk.subarray(begin, at))
      at += this.#left > 0 ? this.#readBody(chunk, at) : this.#readHeader(chunk, at)
      if (isReceived) begin = at
    }
    if (begin < at && !this.#hasEnded) this.#forward(begin === 0 ? chunk : chunk.subarray(begin))
  }

  /** Whether the bytes from here on belong to a row that is received. */
  #isReceived(chunk: Buffer, at: number): boolean {
    if (this.#left === 0 && this.#headerRead === 0) this.#receiver = chunk[at] === dataRow ? this.receiver : undefined
    return this.#receiver !== undefined
  }

  #readHeader(chunk: Buffer, at: number): number {
    const read = chunk.copy(this.#header, this.#headerRead, at)
    this.#headerRead += read
    if (this.#headerRead === headerBytes) this.#begin(this.#header.readUInt32BE(typeBytes) + typeBytes - headerBytes)
    return read
  }

  /** Begins the body of a message. */
  #begin(bytes: number): void {
    this.#headerRead = 0
    this.#left = bytes
    this.#row = undefined
    // Nobody wants a row whose statement has ended meanwhile.
    if (!this.#receiver || this.#receiver !== this.receiver) return
    this.#hasEnded = !this.#receiver.mayReceive(bytes)
    if (this.#hasEnded) return
    this.#row = Buffer.allocUnsafe(bytes)
    this.#receiver.add(this.#row)
  }

  #readBody(chunk: Buffer, at: number): number {
    const read = Math.min(this.#left, chunk.length - at)
    if (this.#row) chunk.copy(this.#row, this.#row.length - this.#left, at, at + read)
    this.#left -= read
    return read
  }
}
