import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Database } from '../data/database.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { Passwords } from '../domain/passwords.ts'
import { Sessions } from '../domain/sessions.ts'
import type { Log } from '../log.ts'
import { fillWithDemo, issueDemoToken } from './demo.ts'
import { watchEventLoop } from './event-loop.ts'
import { listen } from './listen.ts'
import { createListener } from './listener.ts'
import { createHttpServer } from './malformed.ts'
import { patience } from './patience.ts'

/** A server that listens. */
export type Running = {
  /** Where it listens, such as `http://127.0.0.1:4000`. */
  readonly origin: string
  /** The demo's token, where there is one. */
  readonly demoToken: string | undefined
  /** Is not ready from now on, takes requests for the delay that is set, finishes those under way, and closes the database. */
  stop(): Promise<void>
}

const loopbacks = new Set(['127.0.0.1', '::1', 'localhost'])

/** Fills a new embedded database with the demo, and listens; the database is closed with it. Throws a `ConfigError`. */
export async function serve(database: Database, config: Config, log: Log): Promise<Running> {
  try {
    return await listenOn(database, config, log)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The demo's token, unless the database takes no writes now, say for want of disk. */
async function issuedDemo(database: Database, log: Log): ReturnType<typeof issueDemoToken> {
  try {
    return await issueDemoToken(database)
  } catch (err) {
    if (!isUnavailable(err)) throw err
    log.warn({ err }, 'there is no demo token: the database takes no writes')
    return undefined
  }
}

async function listenOn(database: Database, config: Config, log: Log): Promise<Running> {
  const isDemo = config.demo && database.kind === 'embedded'
  if (isDemo) await fillWithDemo(database)
  const demo = isDemo && loopbacks.has(config.host) ? await issuedDemo(database, log) : undefined
  const eventLoop = watchEventLoop()
  let stopping = false
  const app = {
    database,
    sessions: new Sessions(database),
    passwords: new Passwords(),
    signUpIsOpen: config.signUp,
    avatar: config.avatar,
    trustedProxies: config.trustedProxies,
    log,
    demo,
    isStopping: () => stopping,
    isBehind: eventLoop.isBehind,
  }
  const server = createHttpServer(createListener(app), {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    connectionsCheckingInterval: patience.check,
  })
  server.setTimeout(patience.idle)
  server.keepAliveTimeout = patience.keepAlive
  const origin = await listen(server, config)
  return {
    origin,
    demoToken: demo?.token,
    stop: async () => {
      stopping = true
      await sleep(config.stopDelay * 1_000)
      await close(server)
      // The next start revokes it too, so a database that does not answer now is not waited for.
      await Promise.race([demo?.revoke(), sleep(patience.revoke, undefined, { ref: false })]).catch((err) =>
        log.warn({ err }, 'the demo token could not be revoked'),
      )
      eventLoop.stop()
      await database.close()
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
