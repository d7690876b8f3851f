import type { Batch } from './session.ts'
import { type Message, message, statementName, withPrefix } from './wire.ts'

/** The messages after which the database responds. */
const endings = new Set(['S', 'Q', 'H', 'F'])

/** The data of a `COPY`. Ignored outside one, as in PostgreSQL. */
const copyData = new Set(['d', 'c', 'f'])

/** `COPY FROM STDIN` would crash PGlite, which reads past the end of its input. */
const copiesIn = /\bcopy\b[^;]*\bfrom\s+stdin\b/i
const refusedCopy = `DO $$ BEGIN
  RAISE feature_not_supported USING MESSAGE = 'The embedded database does not support COPY FROM STDIN.';
END $$`

/**
 * Groups the messages of one client into batches. The names of its prepared statements get a prefix, because the
 * session shares one set of names among all clients.
 */
export class Batches {
  readonly #prefix: Buffer
  readonly #prepared = new Set<string>()
  #messages: Buffer[] = []
  #size = 0
  #hasUnnamed = false
  #repeats = false
  #lastUnnamed: Buffer | undefined

  constructor(client: number) {
    this.#prefix = Buffer.from(`${client}_`)
  }

  /** The client's prepared statements, by their names in the session. */
  get prepared(): readonly string[] {
    return [...this.#prepared].map((name) => `${this.#prefix}${name}`)
  }

  /** The number of bytes in the incomplete batch. */
  get size(): number {
    return this.#size
  }

  /** Adds a message and returns the batch that it completes. */
  add(sent: Message, limit: number): Batch | undefined {
    if (copyData.has(sent.type)) return undefined
    const one = this.#named(withoutCopy(sent))
    this.#messages.push(one)
    this.#size += one.length
    if (!endings.has(sent.type)) return undefined
    const isOpen = sent.type === 'H'
    const batch = { bytes: joined(this.#messages), limit, isOpen, repeatsParse: this.#repeats }
    this.#messages = []
    this.#size = 0
    this.#repeats = false
    // Within a sequence, no other client can replace the unnamed statement.
    this.#hasUnnamed &&= isOpen
    return batch
  }

  #named(sent: Message): Buffer {
    const found = statementName(sent)
    if (found === undefined) return sent.bytes
    if (found.name === '') return this.#unnamed(sent)
    if (sent.type === 'P') this.#prepared.add(found.name)
    if (sent.type === 'C') this.#prepared.delete(found.name)
    return withPrefix(sent, found.start, this.#prefix)
  }

  // Another client may have replaced the unnamed statement since the last batch, so it is parsed again.
  #unnamed({ type, bytes }: Message): Buffer {
    if (type === 'P') {
      this.#hasUnnamed = true
      this.#lastUnnamed = bytes
    } else if (!this.#hasUnnamed && this.#lastUnnamed && type !== 'C') {
      this.#hasUnnamed = true
      this.#repeats = true
      this.#messages.push(this.#lastUnnamed)
    }
    return bytes
  }
}

function withoutCopy(sent: Message): Message {
  const { type, bytes } = sent
  if (type !== 'Q' && type !== 'P') return sent
  const start = type === 'Q' ? 5 : bytes.indexOf(0, 5) + 1
  const end = bytes.indexOf(0, start)
  if (!copiesIn.test(bytes.toString('utf8', start, end))) return sent
  const text = Buffer.from(refusedCopy)
  return { type, bytes: message(type, Buffer.concat([bytes.subarray(5, start), text, bytes.subarray(end)])) }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  return parts.length === 1 && first ? first : Buffer.concat(parts)
}
