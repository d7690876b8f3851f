import type { Socket } from 'node:net'
import type { Responder, Session } from './session.ts'

// Reads the parts of PostgreSQL's protocol (version 3, "Frontend/Backend Protocol") that sharing one session requires.

/** The codes of requests that a client may send instead of the startup message. */
const [cancelCode, ...encryptionCodes] = [80877102, 80877103, 80877104]

/** The messages after which the database responds: Sync, Query, Flush, and a function call. */
const endings = new Set(['S', 'Q', 'H', 'F'])

/** A connection to the session. The names of its prepared statements get a prefix, because all connections share one set of names. */
export class PostgresConnection implements Responder {
  readonly #socket: Socket
  readonly #session: Session
  readonly #prefix: string
  #input: Buffer = Buffer.alloc(0)
  #messages: Buffer[] = []
  #hasStarted = false

  constructor(socket: Socket, session: Session, number: number) {
    this.#socket = socket
    this.#session = session
    this.#prefix = `${number}_`
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => session.leave(this, this.#prefix))
  }

  respond(response: Buffer): void {
    if (this.#socket.writable) this.#socket.write(response)
  }

  #read(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    for (let message = this.#front(); message && this.#socket.writable; message = this.#front()) {
      this.#input = this.#input.subarray(message.length)
      if (this.#hasStarted) this.#take(message)
      else this.#start(message)
    }
  }

  #front(): Buffer | undefined {
    return frontMessage(this.#input, this.#hasStarted)
  }

  #start(message: Buffer): void {
    const request = firstRequest(message)
    if (request === 'encryption') this.respond(Buffer.from('N'))
    if (request === 'cancel') this.#socket.end()
    if (request !== 'start') return
    this.#hasStarted = true
    this.respond(this.#session.greeting)
  }

  #take(message: Buffer): void {
    const type = typeOf(message)
    if (type === 'X') {
      this.#socket.end()
      return
    }
    this.#messages.push(withPrefix(message, this.#prefix))
    if (!endings.has(type)) return
    const bytes = Buffer.concat(this.#messages)
    this.#messages = []
    this.#session.run({ client: this, bytes, isOpen: type === 'H' })
  }
}

/** What the first message of a connection asks for. */
function firstRequest(message: Buffer): 'cancel' | 'encryption' | 'start' {
  const code = message.readUInt32BE(4)
  if (code === cancelCode) return 'cancel'
  return encryptionCodes.includes(code) ? 'encryption' : 'start'
}

/** The message at the front of the input, or undefined while it is incomplete. After the first one, messages begin with a type. */
function frontMessage(input: Buffer, hasType: boolean): Buffer | undefined {
  const start = hasType ? 1 : 0
  if (input.length < start + 4) return undefined
  const end = start + Math.max(input.readUInt32BE(start), 4)
  return input.length < end ? undefined : input.subarray(0, end)
}

/** The type of a message, such as `Q`. */
const typeOf = (message: Buffer): string => message.toString('latin1', 0, 1)

/** The message with a prefix before the name of its prepared statement. Unnamed statements have none. */
function withPrefix(message: Buffer, prefix: string): Buffer {
  const start = nameStart(message)
  if (start === undefined || message[start] === 0) return message
  const longer = Buffer.concat([message.subarray(0, start), Buffer.from(prefix), message.subarray(start)])
  longer.writeUInt32BE(longer.length - 1, 1)
  return longer
}

function nameStart(message: Buffer): number | undefined {
  const type = typeOf(message)
  if (type === 'P') return 5
  // A name of a portal comes before it.
  if (type === 'B') return message.indexOf(0, 5) + 1
  return (type === 'D' || type === 'C') && message.toString('latin1', 5, 6) === 'S' ? 6 : undefined
}
