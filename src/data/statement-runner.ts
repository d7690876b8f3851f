import pg from 'pg'
import type { Log } from '../log.ts'
import type { Backend, ComposedRead, RunStatement } from './backend.ts'
import { clientIsGone } from './fair-queue.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { isOutcomeUnknown } from './unavailable.ts'

type Options = {
  readonly pool: pg.Pool
  readonly reserved: pg.Pool
  readonly prepared: PreparedStatements
  /** Whether a statement can be cancelled while it runs. */
  readonly canCancel: boolean
  readonly log: Log
}

type Statement = { readonly text: string; readonly values: readonly unknown[]; readonly name: string }

/** Runs statements that stand for themselves, each on a connection of its own. */
export class StatementRunner implements Pick<Backend, 'run' | 'runRead' | 'runReserved'> {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  readonly run: RunStatement = async (text, values) => {
    const { pool, prepared } = this.#options
    return this.#run(await pool.connect(), { text, values, name: prepared.ofOwn(text) })
  }

  readonly runReserved: RunStatement = async (text, values) => {
    const { reserved, prepared } = this.#options
    return this.#run(await reserved.connect(), { text, values, name: prepared.ofOwn(text) })
  }

  async runRead<Row extends object>({ text, values, isOwn }: ComposedRead, signal?: AbortSignal): Promise<Row[]> {
    const { pool, prepared } = this.#options
    const client = await pool.connect()
    if (signal?.aborted) {
      client.release()
      throw clientIsGone()
    }
    const name = isOwn ? prepared.ofOwn(text) : prepared.ofSent(text, client)
    return this.#run(client, { text, values, name }, signal)
  }

  async #run<Row extends object>(
    client: pg.PoolClient,
    { text, values, name }: Statement,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    this.#options.log.trace({ statement: text }, 'statement')
    let isBroken = false
    try {
      const answer = client.query<Row>({ name, text, values: [...values] })
      const { rows } = await (signal ? this.#cancelledBy(signal, client, answer) : answer)
      return rows
    } catch (error) {
      isBroken = !(error instanceof pg.DatabaseError) || isOutcomeUnknown(error)
      throw signal?.aborted ? clientIsGone() : error
    } finally {
      client.release(isBroken)
    }
  }

  async #cancelledBy<T>(signal: AbortSignal, client: pg.PoolClient, answer: Promise<T>): Promise<T> {
    let cancelled: Promise<void> | undefined
    const cancel = () => {
      cancelled = this.#cancel(client)
      // It is awaited below.
      cancelled.catch(() => undefined)
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await answer
    } finally {
      signal.removeEventListener('abort', cancel)
      // Before that the cancellation could still meet the next statement of the connection.
      await cancelled
    }
  }

  async #cancel({ processID }: pg.PoolClient): Promise<void> {
    const { reserved, canCancel } = this.#options
    if (canCancel) await reserved.query('SELECT pg_cancel_backend($1)', [processID])
  }
}
