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

/** The largest message, and the largest sequence of messages that is not answered yet, in bytes. */
const largestMessage = 64 * 2 ** 20

/** How much waits to be run before no more is read, in bytes. */
const mostWaiting = 2 ** 20

/** How long a connection may take to start, in milliseconds. */
const startTimeout = 10_000

/** What a connection needs of the server. */
export type Host = {
  readonly session: Session
  /** What the database says to a client that starts. */
  readonly greeting: Buffer
  /** Whether there is room for another client that is not Rookery's. */
  hasRoom(): boolean
}

/** A connection to the session: reads messages, runs them in batches, and writes what the database answers. */
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
  #isOwn = false
  #limit = 0
  #running: Batch | undefined
  /** What the next `Sync` is answered, after an error in the middle of a sequence. */
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

  get isOwn(): boolean {
    return this.#isOwn
  }

  next(): Batch | undefined {
    // A client that does not read its answers gets no more of them.
    if (this.#socket.writableNeedDrain) return undefined
    for (let batch = this.#shift(); batch; batch = this.#shift()) {
      this.#running = batch
      if (this.#owed === undefined) return batch
      // After an error everything is skipped up to Sync.
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

  // Chunks are joined when a message is complete, so a long one is copied once.
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
      this.#isOwn = first.parameters.get('application_name') === applicationName
      if (!this.#isOwn && !this.#host.hasRoom()) {
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

  // What was not begun is dropped; its statements go when it is its turn.
  #leave(): void {
    clearTimeout(this.#start)
    const closed = this.#messages.prepared.map(closeStatement)
    const last = { bytes: Buffer.concat([...closed, sync]), limit: this.#limit, isOpen: false, repeatsParse: false }
    this.#owed = undefined
    this.#batches = closed.length === 0 ? [] : [last]
    this.#host.session.leave(this)
  }
}
