import type { Socket } from 'node:net'
import { applicationName } from '../serving-settings.ts'
import { Batches } from './batches.ts'
import type { Batch, Client, Session } from './session.ts'
import { statementLimit } from './statement-limit.ts'
import {
  announcedLength,
  closeStatement,
  errorResponse,
  frontMessage,
  messageTypes,
  noEncryption,
  readFirstMessage,
  readyForQuery,
  shortestMessage,
  sync,
  type TransactionStatus,
  versionIsThree,
  withoutParseComplete,
} from './wire.ts'

/** The maximum size of a message, and of a sequence of messages without a response, in bytes. */
const largestMessage = 64 * 2 ** 20

/** The size of the queue at which reading stops, in bytes. */
const mostWaiting = 2 ** 20

/** The time limit for the start of a connection, in milliseconds. */
const startTimeout = 10_000

/** What a connection needs from the server. */
export type Host = {
  readonly session: Session
  /** The database's response to the start of a client. */
  readonly greeting: Buffer
  /** Whether another client that is not Rookery's can connect. */
  hasRoom(): boolean
}

/** A connection to the session. Reads messages, runs them in batches, and writes the responses. */
export class ClientConnection implements Client {
  readonly #socket: Socket
  readonly #host: Host
  readonly #messages: Batches
  readonly #start: NodeJS.Timeout
  #batches: Batch[] = []
  #waiting = 0
  #chunks: Buffer[] = []
  #size = 0
  #wanted = 0
  #hasStarted = false
  #isBuiltIn = false
  #limit = 0
  #running: Batch | undefined
  /** The response to the next `Sync`, after an error within a sequence. */
  #owed: Buffer | undefined

  constructor(socket: Socket, host: Host, number: number) {
    this.#socket = socket
    this.#host = host
    this.#messages = new Batches(number)
    this.#start = setTimeout(() => socket.destroy(), startTimeout)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('drain', () => {
      socket.resume()
      host.session.ask(this)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#leave())
  }

  get isBuiltIn(): boolean {
    return this.#isBuiltIn
  }

  next(): Batch | undefined {
    // Stop responding to a client that does not read its responses.
    if (this.#socket.writableNeedDrain) return undefined
    for (let batch = this.#shift(); batch; batch = this.#shift()) {
      this.#running = batch
      if (this.#owed === undefined) return batch
      // After an error, all messages up to Sync are skipped.
      if (batch.isOpen) continue
      this.#socket.write(this.#owed)
      this.#owed = undefined
    }
    return undefined
  }

  answered(answer: Buffer, status: TransactionStatus | undefined): void {
    const all = this.#running?.repeatsParse ? withoutParseComplete(answer) : answer
    const isOwed = this.#running?.isOpen && status !== undefined
    const end = isOwed ? all.length - readyForQuery : all.length
    if (isOwed) this.#owed = all.subarray(end)
    if (end > 0) this.#socket.write(all.subarray(0, end))
  }

  evict(): void {
    this.refuse('25P03', 'The transaction kept others waiting for too long.')
  }

  /** Ends the connection with an error. */
  refuse(code: string, text: string): void {
    this.#socket.end(errorResponse('FATAL', code, text))
    this.#socket.destroySoon()
  }

  #shift(): Batch | undefined {
    const batch = this.#batches.shift()
    this.#waiting -= batch?.bytes.length ?? 0
    if (this.#socket.isPaused() && this.#waiting < mostWaiting) this.#socket.resume()
    return batch
  }

  // Chunks are joined only when a message is complete, so that a long one is copied once.
  #read(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#wanted) return
    let input = Buffer.concat(this.#chunks)
    for (let bytes = frontMessage(input, this.#hasStarted); bytes; bytes = frontMessage(input, this.#hasStarted)) {
      input = input.subarray(bytes.length)
      if (this.#hasStarted) this.#take(bytes)
      else this.#begin(bytes)
      if (!this.#socket.writable) return
    }
    this.#chunks = [input]
    this.#size = input.length
    this.#wanted = announcedLength(input, this.#hasStarted)
    if (this.#wanted + this.#messages.size > largestMessage)
      this.refuse('54000', `Messages up to Sync have at most ${largestMessage} bytes.`)
    if (this.#waiting > mostWaiting) this.#socket.pause()
    if (this.#batches.length > 0) this.#host.session.ask(this)
  }

  #begin(bytes: Buffer): void {
    const first = readFirstMessage(bytes)
    if (first.kind === 'encryption') {
      this.#socket.write(noEncryption)
      return
    }
    clearTimeout(this.#start)
    if (first.kind === 'cancel') this.#socket.end()
    else if (first.kind === 'unknown') this.refuse('08P01', 'This is not version 3 of the protocol.')
    else {
      this.#isBuiltIn = first.parameters.get('application_name') === applicationName
      if (!this.#isBuiltIn && !this.#host.hasRoom()) {
        this.refuse('53300', 'There are too many connections.')
        return
      }
      this.#hasStarted = true
      this.#limit = statementLimit(first.parameters)
      if (first.minor > 0) this.#socket.write(versionIsThree)
      this.#socket.write(this.#host.greeting)
    }
  }

  #take(bytes: Buffer): void {
    const type = bytes.toString('latin1', 0, 1)
    if (bytes.length < shortestMessage || !messageTypes.has(type)) {
      this.refuse('08P01', 'This is no message of the protocol.')
      return
    }
    if (type === 'X') {
      this.#socket.end()
      return
    }
    const batch = this.#messages.add({ type, bytes }, this.#limit)
    if (batch === undefined) return
    this.#batches.push(batch)
    this.#waiting += batch.bytes.length
  }

  // Batches that have not started are dropped. Prepared statements are closed at the client's next turn.
  #leave(): void {
    clearTimeout(this.#start)
    const closed = this.#messages.prepared.map(closeStatement)
    const last = { bytes: Buffer.concat([...closed, sync]), limit: this.#limit, isOpen: false, repeatsParse: false }
    this.#owed = undefined
    this.#batches = closed.length === 0 ? [] : [last]
    this.#host.session.leave(this)
  }
}
