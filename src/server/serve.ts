import type { Server } from 'node:http'
import type { Config } from '../config.ts'
import { type Database, databaseOptions, openDatabase } from '../data/database.ts'
import { Sessions } from '../domain/sessions.ts'
import type { Log } from '../log.ts'
import { fillWithDemo, issueDemoToken } from './demo.ts'
import { listen, requireListening } from './listen.ts'
import { createListener } from './listener.ts'
import { createHttpServer } from './malformed.ts'

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
  // Before a database is made for nothing.
  await requireListening(config)
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
  const server = createHttpServer(createListener(app), {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    connectionsCheckingInterval: patience.check,
  })
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
