import type pg from 'pg'
import type { Log } from '../log.ts'
import type { Statement } from './backend.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { clientIsGone } from './requester.ts'
import { hasUnknownState } from './statement-errors.ts'

/** When a statement is cancelled, and how, given the process id of its backend. */
export type Cancellation = {
  readonly signal: AbortSignal
  readonly cancel: (processID: number | null) => Promise<unknown>
}

/** Runs standalone statements, each on its own connection of a pool. */
export class StatementRunner {
  readonly #pool: pg.Pool
  readonly #prepared: PreparedStatements
  readonly #log: Log

  constructor(pool: pg.Pool, prepared: PreparedStatements, log: Log) {
    this.#pool = pool
    this.#prepared = prepared
    this.#log = log
  }

  /** Runs a statement and returns its rows. Throws `UNAVAILABLE` if it is cancelled. */
  async run<Row extends object>(statement: Statement, cancellation?: Cancellation): Promise<Row[]> {
    const client = await this.#pool.connect()
    const signal = cancellation?.signal
    if (signal?.aborted) {
      client.release()
      throw clientIsGone()
    }
    let isBroken = false
    let cancelling: Promise<unknown> | undefined
    const cancel = () => {
      cancelling = cancellation?.cancel(client.processID).catch(() => {
        isBroken = true
      })
    }
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await this.#send<Row>(client, statement)
    } catch (error) {
      isBroken ||= hasUnknownState(error)
      throw signal?.aborted ? clientIsGone() : error
    } finally {
      signal?.removeEventListener('abort', cancel)
      // Until then, the cancellation could still reach the next statement of the connection.
      await cancelling
      client.release(isBroken)
    }
  }

  async #send<Row extends object>(client: pg.PoolClient, statement: Statement): Promise<Row[]> {
    const { text, values } = statement
    this.#log.trace({ statement: text }, 'statement')
    const name = this.#prepared.nameOf(statement, client)
    const { rows } = await client.query<Row>({ name, text, values: [...values] })
    return rows
  }
}
