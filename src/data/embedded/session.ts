import type { PGlite } from '@electric-sql/pglite'
import { firstValue, query, statusAtEnd, sync, type TransactionStatus } from './wire.ts'

/** Messages with one response: a simple query, or extended-query messages up to `Sync`. */
export type Batch = {
  readonly bytes: Buffer
  /** The time limit in milliseconds. */
  readonly limit: number
  /** Whether it ends with `Flush`, so that the client continues the sequence. */
  readonly isOpen: boolean
  /** Whether it starts with a `Parse` that the client did not send again. */
  readonly repeatsParse: boolean
}

/** A client that takes turns on the session. */
export type Client = {
  /** Whether it leaves the session settings unchanged. The settings of any other client apply to that client only. */
  readonly isBuiltIn: boolean
  /** Removes and returns the client's next batch; undefined if there is none. */
  next(): Batch | undefined
  /** Receives the response to the batch and the resulting status of the session. */
  answered(answer: Buffer, status: TransactionStatus | undefined): void
  /** Disconnects the client, which has kept others waiting for too long. */
  evict(): void
}

/** Hooks around each batch. */
export type Hooks = {
  /** Sets the deadline of the response, in milliseconds since the epoch; 0 when it has arrived. */
  setDeadline(time: number): void
  /** Called outside transactions, before a turn of a client that may have other settings. */
  enter(client: Client): void
  before(): void
  after(): void
  /** PostgreSQL has terminated and does not respond any more. */
  ended(): void
}

/** The time limit of the session's own statements, in milliseconds. */
const ownLimit = 60_000

/** How long a client can hold a transaction while others wait, in milliseconds, by default. */
const longestHold = 15_000

/** How long batches run before the thread reads its sockets again, in milliseconds. */
const longestRun = 20

/**
 * The single session of PGlite, shared by many clients. Batches run one at a time. A client in a transaction, or in the middle of a
 * sequence of extended-query messages, keeps the session until its end; the others wait in order of arrival.
 */
export class Session {
  readonly #pglite: PGlite
  readonly #hooks: Hooks
  readonly #longestHold: number
  readonly #waiting = new Set<Client>()
  #holder: Client | undefined
  #hold: NodeJS.Timeout | undefined
  #isRunning = false
  #runAgain: NodeJS.Immediate | undefined

  constructor(pglite: PGlite, hooks: Hooks, hold = longestHold) {
    this.#pglite = pglite
    this.#hooks = hooks
    this.#longestHold = hold
  }

  /** Whether no client is in a transaction. */
  get isFree(): boolean {
    return this.#holder === undefined
  }

  /** Runs the client's batches when its turn comes. */
  ask(client: Client): void {
    if (client !== this.#holder) this.#waiting.add(client)
    this.#take()
    if (this.#holder && this.#waiting.size > 0)
      this.#hold ??= setTimeout(() => this.#holder?.evict(), this.#longestHold)
  }

  /** Rolls back the transaction of a disconnected client. Its remaining batches run when its turn comes. */
  leave(client: Client): void {
    if (this.#holder === client) {
      this.execute(Buffer.concat([sync, query('ROLLBACK')]))
      this.#holdFor(undefined)
    }
    this.ask(client)
  }

  /** Runs a statement between turns and returns its first value. */
  valueOf(sql: string): string | undefined {
    return firstValue(this.execute(query(sql)))
  }

  /** Runs messages immediately and returns the response. The time limit is that of a batch. */
  execute(bytes: Buffer, limit = ownLimit): Buffer {
    const chunks: Buffer[] = []
    this.#hooks.setDeadline(Date.now() + limit)
    try {
      // The call is synchronous; there is no file system to wait for.
      this.#pglite
        .execProtocolRawStream(bytes, { syncToFs: false, onRawData: (data) => chunks.push(Buffer.from(data)) })
        .catch(this.#hooks.ended)
    } finally {
      this.#hooks.setDeadline(0)
    }
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
  }

  #holdFor(client: Client | undefined): void {
    if (client !== this.#holder) {
      clearTimeout(this.#hold)
      this.#hold = undefined
    }
    this.#holder = client
  }

  #take(): void {
    if (this.#isRunning || this.#runAgain) return
    this.#isRunning = true
    const end = performance.now() + longestRun
    while (this.#takeOne()) {
      if (performance.now() < end) continue
      this.#runAgain = setImmediate(() => {
        this.#runAgain = undefined
        this.#take()
      })
      break
    }
    this.#isRunning = false
  }

  /** Runs one batch; returns false if there is none. */
  #takeOne(): boolean {
    const client = this.#holder ?? this.#waiting.values().next().value
    if (client === undefined) return false
    const batch = client.next()
    if (batch === undefined) {
      this.#waiting.delete(client)
      return client !== this.#holder
    }
    // Moves to the end for its next batch.
    this.#waiting.delete(client)
    if (this.isFree) this.#hooks.enter(client)
    this.#hooks.before()
    const answer = this.execute(batch.bytes, batch.limit)
    this.#hooks.after()
    const status = statusAtEnd(answer)
    this.#holdFor(status === 'idle' ? undefined : client)
    if (status === 'idle') this.#waiting.add(client)
    client.answered(answer, status)
    return true
  }
}
