import { createServer, type Server } from 'node:http'
import { type Config, ConfigError } from '../config.ts'
import { type Database, databaseOptions, openDatabase } from '../data/database.ts'
import { Sessions } from '../domain/sessions.ts'
import type { Log } from '../log.ts'
import { fillWithDemo, issueDemoToken } from './demo.ts'
import { createListener } from './listener.ts'
import { refuseMalformed } from './malformed.ts'

/**
 * In milliseconds: how long the headers and the whole of a request may take to arrive and how often that is checked, how long a
 * connection may stand still, say because nobody reads the answer, and how long stopping waits for requests under way.
 */
const patience = { headers: 10_000, request: 30_000, check: 2_000, idle: 60_000, stop: 10_000 } as const

/** A server that listens. */
export type Running = {
  /** Where it listens, such as `http://127.0.0.1:4000`. */
  readonly origin: string
  /** The demo's token, where there is one. */
  readonly demoToken: string | undefined
  /** Takes no more requests, finishes those under way, and closes the database. */
  stop(): Promise<void>
}

const loopbacks = new Set(['127.0.0.1', '::1', 'localhost'])

/** Opens the database, fills a new embedded one with the demo, and listens. Throws a `ConfigError` or a `DatabaseError`. */
export async function serve(config: Config, log: Log): Promise<Running> {
  const database = await openDatabase(databaseOptions(config), log)
  try {
    return await listenOn(database, config, log)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function listenOn(database: Database, config: Config, log: Log): Promise<Running> {
  const isDemo = config.demo && database.kind === 'embedded'
  if (isDemo) await fillWithDemo(database)
  const demo = isDemo && loopbacks.has(config.host) ? await issueDemoToken(database) : undefined
  let stopping = false
  const app = {
    database,
    sessions: new Sessions(database),
    signUpIsOpen: config.signUp,
    log,
    demo,
    isStopping: () => stopping,
  }
  const server = createServer(
    { headersTimeout: patience.headers, requestTimeout: patience.request, connectionsCheckingInterval: patience.check },
    createListener(app),
  )
  refuseMalformed(server)
  server.setTimeout(patience.idle)
  const origin = await listen(server, config)
  return {
    origin,
    demoToken: demo?.token,
    stop: async () => {
      stopping = true
      await close(server)
      try {
        await demo?.revoke()
      } finally {
        await database.close()
      }
    },
  }
}

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)))
    server.listen(port, host, () => {
      const address = server.address()
      const chosen = typeof address === 'object' && address ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}`)
    })
  })
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  if (cause.code === 'EADDRINUSE')
    return new ConfigError(`PORT is ${port}, which something else listens on already; choose another.`, { cause })
  if (cause.code === 'EACCES')
    return new ConfigError(`PORT is ${port}, which this user may not listen on; choose one above 1023.`, { cause })
  return new ConfigError(`HOST is ${host}, which this machine cannot listen on (${cause.code}).`, { cause })
}

function close(server: Server): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), patience.stop)
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}
