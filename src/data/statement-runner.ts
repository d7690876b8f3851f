import pg from 'pg'
import type { Log } from '../log.ts'
import type { Backend, RunStatement, Statement, TextRow } from './backend.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { clientIsGone } from './requester.ts'
import { isOutcomeUnknown } from './unavailable.ts'

type Options = {
  readonly pool: pg.Pool
  readonly reserved: pg.Pool
  readonly prepared: PreparedStatements
  /** Whether running statements can be cancelled. */
  readonly canCancel: boolean
  readonly log: Log
}

type NamedStatement = Omit<Statement, 'isBuiltIn'> & { readonly name: string }

/** Runs standalone statements, each on its own connection. */
export class StatementRunner implements Pick<Backend, 'run' | 'runRead' | 'runReserved'> {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  readonly run: RunStatement = async (text, values) => {
    const { pool, prepared } = this.#options
    return this.#run(await pool.connect(), { text, values, name: prepared.ofBuiltIn(text) })
  }

  readonly runReserved: RunStatement = async (text, values) => {
    const { reserved, prepared } = this.#options
    return this.#run(await reserved.connect(), { text, values, name: prepared.ofBuiltIn(text) })
  }

  /** Runs one execution of a batch. */
  async runBatch({ text, values, isBuiltIn }: Statement): Promise<readonly TextRow[]> {
    const { pool, prepared } = this.#options
    const client = await pool.connect()
    const name = isBuiltIn ? prepared.ofBuiltIn(text) : prepared.ofClient(text, client)
    return this.#run<TextRow>(client, { text, values, name })
  }

  async runRead({ text, values, isBuiltIn }: Statement, signal?: AbortSignal): Promise<readonly TextRow[]> {
    const { pool, prepared } = this.#options
    const client = await pool.connect()
    if (signal?.aborted) {
      client.release()
      throw clientIsGone()
    }
    const name = isBuiltIn ? prepared.ofBuiltIn(text) : prepared.ofClient(text, client)
    return this.#run<TextRow>(client, { text, values, name }, signal)
  }

  async #run<Row extends object>(
    client: pg.PoolClient,
    { text, values, name }: NamedStatement,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    this.#options.log.trace({ statement: text }, 'statement')
    let isBroken = false
    try {
      const rows = client.query<Row>({ name, text, values: [...values] }).then(({ rows }) => rows)
      return await (signal ? this.#cancelledBy(signal, client, rows) : rows)
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
      // Earlier, the cancellation could still reach the next statement of the connection.
      await cancelled
    }
  }

  async #cancel({ processID }: pg.PoolClient): Promise<void> {
    const { reserved, canCancel } = this.#options
    if (canCancel) await reserved.query('SELECT pg_cancel_backend($1)', [processID])
  }
}
