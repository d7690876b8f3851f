import type pg from 'pg'
import type { Log } from '../log.ts'
import type { Statement } from './backend.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import { clientIsGone } from './requester.ts'
import { hasUnknownState } from './unavailable.ts'

/** Runs a statement on a connection of its own. Cancels it when the signal fires, and throws `UNAVAILABLE` then. */
export type StatementRunner = <Row extends object>(statement: Statement, signal?: AbortSignal) => Promise<Row[]>

/** Runs statements on a pool. `cancel` ends the statement of a backend with this process id, but not the backend. */
export function statementRunner(
  pool: pg.Pool,
  prepared: PreparedStatements,
  cancel: (processID: number | null) => Promise<unknown>,
  log: Log,
): StatementRunner {
  return async <Row extends object>(statement: Statement, signal?: AbortSignal) => {
    const client = await pool.connect()
    if (signal?.aborted) {
      client.release()
      throw clientIsGone()
    }
    let isBroken = false
    let cancelling: Promise<unknown> | undefined
    const onAbort = () => {
      cancelling = cancel(client.processID).catch(() => {
        isBroken = true
      })
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      const { text, values } = statement
      log.trace({ statement: text }, 'statement')
      const name = prepared.nameOf(statement, client)
      return (await client.query<Row>({ name, text, values: [...values] })).rows
    } catch (error) {
      isBroken ||= hasUnknownState(error)
      throw signal?.aborted ? clientIsGone() : error
    } finally {
      signal?.removeEventListener('abort', onAbort)
      // Until then, the cancellation could still reach the next statement of the connection.
      await cancelling
      client.release(isBroken)
    }
  }
}
