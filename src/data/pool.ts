import pg from 'pg'
import type { Log } from '../log.ts'
import { instrument } from './instrumentation.ts'
import { hasUnknownState } from './unavailable.ts'

declare module 'pg' {
  interface Client {
    /** The process id of the backend. */
    readonly processID: number | null
  }
}

// The driver reads a time that it does not know as null, which would pass as no time at all.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  const time = new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'))
  if (Number.isNaN(time.getTime())) throw new RangeError(`The time ${text} in the database cannot be read.`)
  return time
})

/** How the connections of a pool begin and end. */
type Connections = {
  /** Runs on each connection when it opens. */
  readonly begin: string
  /** Ends the backend of a connection that is given up, because it may still run a statement. */
  readonly abandon?: (processID: number | null) => Promise<unknown>
}

/** Creates a pool of connections. */
export function createPool(config: pg.PoolConfig, { begin, abandon }: Connections, log: Log): pg.Pool {
  const onConnect = async (client: pg.ClientBase) => {
    await client.query(begin).catch((error: Error) => {
      throw asRefused(error)
    })
  }
  const pool = new pg.Pool({ ...config, onConnect, Client: PoolClient })
  pool.on('error', (err) => {
    // The embedded database may end connections while the pool closes them.
    if (pool.ending) return
    // The driver attaches the client, with the texts of its statements.
    Reflect.deleteProperty(err, 'client')
    log.warn({ err }, 'an idle connection to the database was lost')
  })
  // If the connection is in use, the error reaches its statement.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    instrument(client)
  })
  pool.on('release', (error: unknown, client) => {
    if (client.getTransactionStatus() === 'I' && (!error || !hasUnknownState(error))) return
    // A transaction without a timely response to its end may still run, so its connection is not reused.
    void client.end()
    abandon?.(client.processID).catch(() => undefined)
  })
  return pool
}

/** A connection that fails like a refused one if it does not open. */
class PoolClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
  override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
    if (callback === undefined) return super.connect()
    super.connect((error: Error | null) => {
      Reflect.apply(callback, undefined, [error && asRefused(error), this])
    })
    return undefined
  }
}

/** Why a connection did not open, as a refused one: no statement was sent, and the database is unavailable. */
function asRefused(error: Error): Error {
  return Object.assign(new AggregateError([error], error.message), { code: 'ECONNREFUSED', syscall: 'connect' })
}
