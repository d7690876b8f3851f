import pg from 'pg'
import type { Log } from '../log.ts'
import type { Instrumentation } from './instrumentation.ts'
import { hasUnknownState, readOnly } from './unavailable.ts'

/** The servers of a database, of which one takes writes. Connections go to the current one. */
export class DatabaseHosts {
  readonly #targets: readonly pg.ClientConfig[]
  #nth = 0

  /** The first one is current. */
  constructor(targets: readonly pg.ClientConfig[]) {
    this.#targets = targets
  }

  get current(): pg.ClientConfig | undefined {
    return this.#targets[this.#nth]
  }

  /** Moves on to the next server, after a connection to this one did not open. */
  leave(target: pg.ClientConfig | undefined): void {
    if (target === this.current) this.#nth = (this.#nth + 1) % this.#targets.length
  }
}

declare module 'pg' {
  interface Client {
    /** The process id of the backend. */
    readonly processID: number | null
  }
}

const types = new pg.TypeOverrides()
// The driver reads a time that it does not know as null, which would pass as no time at all.
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  const time = new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'))
  if (Number.isNaN(time.getTime())) throw new RangeError(`The time ${text} in the database cannot be read.`)
  return time
})

/** Where the connections of a pool go, and how they begin and end. */
type Connections = {
  readonly servers: DatabaseHosts
  readonly instrumentation: Instrumentation
  /** Runs on each connection when it opens. */
  readonly begin: string
  /** Ends the backend of a connection that is given up, because it may still run a statement. */
  readonly abandon?: (processID: number | null) => Promise<unknown>
}

/** Creates a pool of connections. */
export function createPool(config: pg.PoolConfig, connections: Connections, log: Log): pg.Pool {
  const { servers, instrumentation, begin, abandon } = connections
  const PoolClient = clientOf(servers)
  const onConnect = async (client: pg.ClientBase) => {
    await client.query(begin).catch((error: Error) => {
      throw client instanceof PoolClient ? client.asRefused(error) : error
    })
  }
  const pool = new pg.Pool({ ...config, types, onConnect, Client: PoolClient })
  // Servers behind a proxy can become read-only while their connections stay.
  const standbys = new WeakSet<pg.ClientBase>()
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
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === readOnly) standbys.add(client)
    })
    instrumentation.instrument(client)
  })
  pool.on('release', (error: unknown, client) => {
    if (standbys.has(client)) return void client.end()
    if (client.getTransactionStatus() === 'I' && (!error || !hasUnknownState(error))) return
    // A transaction without a timely response to its end may still run, so its connection is not reused.
    void client.end()
    abandon?.(client.processID).catch(() => undefined)
  })
  return pool
}

/** Makes connections to the current server. If one does not open, it fails like a refused one, and the next ones go to the next server. */
function clientOf(servers: DatabaseHosts) {
  return class PoolClient extends pg.Client {
    readonly #server = servers.current

    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...servers.current })
    }

    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
      if (callback === undefined) return super.connect()
      super.connect((error: Error | null) => {
        Reflect.apply(callback, undefined, [error && this.asRefused(error), this])
      })
      return undefined
    }

    /** Why it did not open, as a refused one: no statement was sent, and the database is unavailable. */
    asRefused(error: Error): Error {
      servers.leave(this.#server)
      return Object.assign(new AggregateError([error], error.message), { code: 'ECONNREFUSED', syscall: 'connect' })
    }
  }
}
