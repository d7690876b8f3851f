import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Budgets } from '../engine/auth/budgets.ts'
import { TokenCache } from '../engine/auth/viewers.ts'
import type { Database } from '../engine/data/database.ts'
import { type Limiters, memoryLimiters } from '../engine/data/limiters.ts'
import { isUnavailable } from '../engine/data/unavailable.ts'
import { isLoopback } from '../engine/http/origin.ts'
import { startJobs } from '../engine/jobs/jobs.ts'
import type { Log } from '../engine/log.ts'
import { hasNoAccounts } from '../features/accounts/accounts.ts'
import { findViewer } from '../features/accounts/find-viewer.ts'
import { Passwords } from '../features/accounts/passwords.ts'
import { Authenticators } from '../features/accounts/second-factor/authenticators.ts'
import { SignInLimits } from '../features/accounts/sign-in-limits.ts'
import { demoUser, issueDemoToken } from '../features/demo/demo-token.ts'
import { AccountLimits } from '../features/limits/limits.ts'
import { MailLimits } from '../features/mail/limits.ts'
import type { Mailing } from '../features/mail/send.ts'
import type { Config } from './config.ts'
import { watchEventLoop } from './health.ts'
import { addCleanUp, jobKindsOf } from './jobs.ts'
import { listen, metricsAddress } from './listen.ts'
import type { Measured } from './metrics-port.ts'
import { readRules } from './rules-file.ts'
import { createServer } from './server.ts'
import { roleOf, type ServerOptions } from './server-options.ts'
import { watchStart } from './worker-process.ts'

/** A listening server. */
export type RunningServer = {
  /** Such as `http://127.0.0.1:4000`. */
  readonly origin: string
  /** Where Prometheus finds the metrics. Undefined if nothing is measured. */
  readonly metricsUrl: string | undefined
  /** The demo's token, where there is one. */
  readonly demoToken?: string | undefined
  /** Why a demo has no token. Undefined if it has one, or if there is no demo. */
  readonly whyNoToken?: string | undefined
  /** Fails the readiness check, accepts requests for the configured delay, finishes those in progress, and closes the database. */
  stop(): Promise<void>
}

/** How long a stopping server waits for requests in progress, and then for the demo's token to be revoked, in milliseconds. */
const timeouts = { stop: 10_000, revoke: 1_000 } as const

/** Seeds a new embedded database with the demo, and starts the server, which closes the database when it stops. Throws a `ConfigError`. */
export async function serve(database: Database, config: Config, log: Log): Promise<RunningServer> {
  try {
    return await listenOn(database, config, log)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The demo's token. Undefined when the database rejects writes, for example because the disk is full. */
async function issueDemo(database: Database, log: Log): ReturnType<typeof issueDemoToken> {
  try {
    return await issueDemoToken(database)
  } catch (err) {
    if (!isUnavailable(err)) throw err
    log.warn({ err }, 'there is no demo token: the database takes no writes')
    return undefined
  }
}

/** Fills an empty database with the demo network. */
async function fillWithDemo(database: Database): Promise<void> {
  if (!(await hasNoAccounts(database.write.prisma))) return
  const [{ seed }, { demoNetwork }, { addDemoActivity }] = await Promise.all([
    import('../features/demo/seed.ts'),
    import('../features/demo/seed-options.ts'),
    import('../features/demo/demo-activity.ts'),
  ])
  await seed(database, { ...demoNetwork, now: new Date() })
  await addDemoActivity(database, demoUser)
}

/** The demo of an embedded database, with access to it or why there is none. */
async function demoOf(database: Database, { demo, host }: Config, log: Log) {
  if (!demo || database.kind !== 'embedded') return {}
  await fillWithDemo(database)
  if (!isLoopback(host)) return { whyNoToken: `HOST is ${host}, so other machines could use it.` }
  return { demo: await issueDemo(database, log) }
}

/** Limiters that all processes share, if there is a Redis server and anything to limit. */
async function limitersOf({ redisUrl, rateLimit }: Config, log: Log): Promise<Limiters> {
  if (redisUrl === undefined || rateLimit === undefined) return memoryLimiters
  const { redisLimiters } = await import('../engine/data/limiters.ts')
  return redisLimiters(redisUrl, log)
}

/** What limits requests by rate, if anything does. */
function limitsOf({ rateLimit, limits }: Config, limiters: Limiters) {
  return (
    rateLimit && {
      budgets: new Budgets(rateLimit, limiters),
      signInLimits: new SignInLimits(limiters),
      accountLimits: new AccountLimits(limits, limiters),
    }
  )
}

/** What checks passwords, and codes of authenticator apps if there is a key. */
function checksOf({ secretsKey: key, siteName }: Config): Pick<ServerOptions, 'passwords' | 'authenticators'> {
  const authenticators = key === undefined ? undefined : new Authenticators(key, siteName)
  return { passwords: new Passwords(), authenticators }
}

/** What sends e-mails, if there is a mail server. */
async function mailingOf(
  { mail, siteName, publicUrl, rateLimit }: Config,
  limiters: Limiters,
): Promise<Mailing | undefined> {
  if (!mail || publicUrl === undefined) return undefined
  const { Mailer } = await import('../features/mail/mailer.ts')
  const limits = rateLimit && new MailLimits(limiters)
  return { mailer: new Mailer({ ...mail, name: siteName }), siteName, publicUrl, limits }
}

/** The metrics, if anything is measured. */
async function metricsOf(database: Database, config: Config): Promise<Measured | undefined> {
  const place = metricsAddress(config)
  if (place === undefined) return undefined
  const { measure } = await import('./metrics-port.ts')
  return measure(database, roleOf(config) === 'worker' ? undefined : place)
}

async function listenOn(database: Database, config: Config, log: Log): Promise<RunningServer> {
  const rules = await readRules(config.rulesFile)
  const { demo, whyNoToken } = await demoOf(database, config, log)
  const measured = await metricsOf(database, config)
  const limiters = await limitersOf(config, log)
  const mailing = await mailingOf(config, limiters)
  const eventLoop = watchEventLoop()
  let stopping = false
  const options = {
    ...config,
    rules,
    introducesItself: !config.demo,
    database,
    viewers: new TokenCache((token) => findViewer(database, token, config.contact)),
    ...checksOf(config),
    mail: config.mail && { limits: mailing?.limits, signInNotice: config.mail.signInNotice },
    compilesAtStart: true,
    ...limitsOf(config, limiters),
    log,
    metrics: measured?.metrics,
    demo,
    ...(roleOf(config) === 'worker' && { isStarting: watchStart() }),
    isStopping: () => stopping,
    isBehind: eventLoop.isBehind,
  }
  const close = async () => {
    limiters.close()
    eventLoop.stop()
    await measured?.close()
  }
  const { server, origin } = await listenWith(options, config).catch(async (error) => {
    await close()
    throw error
  })
  database.warmUp().catch((err) => log.warn({ err }, 'Prisma could not be loaded'))
  const stopJobs = startJobs(database, jobKindsOf(database, config, log, mailing), log, {
    begin: () => addCleanUp(database),
  })
  return {
    origin,
    metricsUrl: measured?.url,
    demoToken: demo?.token,
    whyNoToken,
    stop: async () => {
      stopping = true
      await sleep(config.stopDelay * 1_000)
      await drain(server)
      // The next start revokes it too, so this does not wait for a database that does not respond.
      await Promise.race([demo?.revoke(), sleep(timeouts.revoke, undefined, { ref: false })]).catch((err) =>
        log.warn({ err }, 'the demo token could not be revoked'),
      )
      await close()
      await stopJobs()
      mailing?.mailer.close()
      await database.close()
    },
  }
}

async function listenWith(
  options: ServerOptions,
  config: Config,
): Promise<{ server: FastifyInstance; origin: string }> {
  const server = await createServer(options)
  return { server, origin: await listen(server, config) }
}

/** Waits for requests in progress, but not for ever. */
async function drain(server: FastifyInstance): Promise<void> {
  const force = setTimeout(() => server.server.closeAllConnections(), timeouts.stop)
  await server.close()
  clearTimeout(force)
}
