import { Buffer } from 'node:buffer'

/** The type and the length that begin each message (PostgreSQL, "Message Formats"). The length counts itself, but not the type. */
const headerBytes = 5
const typeBytes = 1

/** The type of a message with a row. */
const dataRow = 'D'.charCodeAt(0)

/** The length of a column that is null. */
const nullColumn = -1

/** The columns of a row, from the message that contains it. */
function columnsOf(message: Buffer): (Buffer | null)[] {
  const columns: (Buffer | null)[] = []
  let at = 2
  for (let left = message.readInt16BE(0); left > 0; left -= 1) {
    const length = message.readInt32BE(at)
    at += 4
    columns.push(length === nullColumn ? null : message.subarray(at, at + length))
    at += Math.max(length, 0)
  }
  return columns
}

/**
 * Divides what a server sends into the rows of a result and all other messages. A message may begin and end anywhere in a chunk.
 */
export class MessageReader {
  /** The messages of the rows, without their headers. */
  readonly #rows: Buffer[] = []
  readonly #header = Buffer.alloc(headerBytes)
  #headerRead = 0
  /** How many bytes of the current message are missing. */
  #left = 0
  /** The row that is being received. */
  #row: Buffer | undefined
  readonly #mayReceive: (bytes: number) => boolean
  readonly #forward: (part: Buffer) => void

  /**
   * Calls `mayReceive` with the length of each row when it begins, in bytes, and ignores everything if that returns false. Calls `forward`
   * with the parts of all other messages.
   */
  constructor(mayReceive: (bytes: number) => boolean, forward: (part: Buffer) => void) {
    this.#mayReceive = mayReceive
    this.#forward = forward
  }

  /** The columns of the rows. */
  get rows(): readonly (readonly (Buffer | null)[])[] {
    return this.#rows.map(columnsOf)
  }

  read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      const read = this.#left > 0 ? this.#readBody(chunk.subarray(at, at + this.#left)) : this.#readHeader(chunk, at)
      if (read === undefined) return
      at += read
    }
  }

  #readHeader(chunk: Buffer, at: number): number | undefined {
    const read = chunk.copy(this.#header, this.#headerRead, at)
    this.#headerRead += read
    if (this.#headerRead < headerBytes) return read
    this.#headerRead = 0
    const bytes = this.#header.readUInt32BE(typeBytes) + typeBytes - headerBytes
    this.#left = bytes
    if (this.#header[0] !== dataRow) {
      this.#forward(Buffer.from(this.#header))
      return read
    }
    if (!this.#mayReceive(bytes)) return undefined
    this.#row = Buffer.allocUnsafe(bytes)
    this.#rows.push(this.#row)
    return read
  }

  #readBody(part: Buffer): number {
    if (this.#row) part.copy(this.#row, this.#row.length - this.#left)
    else this.#forward(part)
    this.#left -= part.length
    if (this.#left === 0) this.#row = undefined
    return part.length
  }
}
