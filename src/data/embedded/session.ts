import type { PGlite } from '@electric-sql/pglite'
import { firstValue, query, statusAtEnd, sync, type TransactionStatus } from './wire.ts'

/** Messages that the database answers together: a simple query, or extended-query messages up to `Sync`. */
export type Batch = {
  readonly bytes: Buffer
  /** How long it may take, in milliseconds. */
  readonly limit: number
  /** Ends with `Flush`, so the client goes on with the same sequence. */
  readonly isOpen: boolean
  /** Begins with a `Parse` that the client did not send again. */
  readonly repeatsParse: boolean
}

/** Who takes turns on the session. */
export type Client = {
  /** Whether it keeps the settings of the session as they are; what another client sets holds for that client only. */
  readonly isOwn: boolean
  /** The next batch to run, taken out of the client's queue; undefined while there is none. */
  next(): Batch | undefined
  /** Takes what the database answered to the batch, and the status of the session after it. */
  answered(answer: Buffer, status: TransactionStatus | undefined): void
  /** Ends the client, which has kept others waiting for too long. */
  evict(): void
}

/** What happens around each batch. */
export type Hooks = {
  /** The time by which the database has to have answered, in milliseconds since the epoch; 0 once it has. */
  setDeadline(time: number): void
  /** Called while nobody is in a transaction: another client may have other settings. */
  enter(client: Client): void
  before(): void
  after(): void
  /** PostgreSQL has ended itself, and answers no more. */
  ended(): void
}

/** How long what the session runs for itself may take, in milliseconds. */
const ownLimit = 60_000

/** How long a client may stay in a transaction while others wait for it unless the server is told otherwise, in milliseconds. */
const longestHold = 15_000

/** How long batches run one after the other before the thread reads its sockets again, in milliseconds. */
const longestRun = 20

/**
 * The one session that PGlite has, which many clients share. Each batch runs alone. Whoever is in a transaction, or in the middle of a
 * sequence of extended-query messages, keeps the session until its end; the others wait in the order in which they came.
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

  /** Whether nobody is in a transaction. */
  get isFree(): boolean {
    return this.#holder === undefined
  }

  /** Runs what the client has to run, when its turn comes. */
  ask(client: Client): void {
    if (client !== this.#holder) this.#waiting.add(client)
    this.#take()
    if (this.#holder && this.#waiting.size > 0)
      this.#hold ??= setTimeout(() => this.#holder?.evict(), this.#longestHold)
  }

  /** Rolls back the transaction of a client that is gone. What it still has to run is run when its turn comes. */
  leave(client: Client): void {
    if (this.#holder === client) {
      this.execute(Buffer.concat([sync, query('ROLLBACK')]))
      this.#holdFor(undefined)
    }
    this.ask(client)
  }

  /** Runs a statement between the turns and answers its first value. */
  valueOf(sql: string): string | undefined {
    return firstValue(this.execute(query(sql)))
  }

  /** Runs messages at once, and answers what the database says to them; the limit is that of a batch. */
  execute(bytes: Buffer, limit = ownLimit): Buffer {
    const chunks: Buffer[] = []
    this.#hooks.setDeadline(Date.now() + limit)
    try {
      // It is done when the call returns; there is no file system to wait for.
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

  /** Runs one batch; answers false where there is none to run. */
  #takeOne(): boolean {
    const client = this.#holder ?? this.#waiting.values().next().value
    if (client === undefined) return false
    const batch = client.next()
    if (batch === undefined) {
      this.#waiting.delete(client)
      return client !== this.#holder
    }
    // Behind the others, for its next batch.
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
