import type { Socket } from 'node:net'
import { firstRequest, frontMessage, typeOf, withPrefix } from './messages.ts'
import type { Client, Session } from './session.ts'

/** The messages after which the database responds: Sync, Query, Flush, and a function call. */
const endings = new Set(['S', 'Q', 'H', 'F'])

/** A connection to the session. The names of its prepared statements get a prefix, because all connections share one set of names. */
export class Connection implements Client {
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
