import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { Database } from '../engine/data/database.ts'
import { withoutPassword } from '../engine/data/database-url.ts'
import { hasEmbeddedDatabase } from '../engine/data/embedded/folder.ts'
import { createLog, type Log } from '../engine/log.ts'
import { version } from '../engine/package.ts'
import type { Config } from '../server/config.ts'
import { metricsAddress, requireListening } from '../server/listen.ts'
import { readRules } from '../server/rules-file.ts'
import type { RunningServer } from '../server/serve.ts'
import { roleOf } from '../server/server-options.ts'
import { followPrimary } from '../server/worker-process.ts'
import { startWorkers } from '../server/workers.ts'
import { addCommand } from './command.ts'
import { fail } from './failure.ts'
import { announce, print } from './output.ts'
import { settings } from './settings.ts'

/** A second one of these ends the process at once. */
const urgentSignals = ['SIGINT', 'SIGTERM'] as const

/** Each of these stops the server. Closing terminals and service managers may send others than the urgent ones. */
const signals = [...urgentSignals, 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

/** `rookery serve` */
export function addServe(program: Command): void {
  addCommand(program, 'serve', 'Serve GraphQL and REST until the process gets a signal such as SIGTERM.', {
    more: `
Without DATABASE_URL, the first start creates an embedded database in DATA_DIR and fills
it with a demo network, unless DEMO=off. Logs are JSON lines on stderr.`,
    json: '{origin, graphql, rest, metrics, demoToken}, printed when the server is ready.',
    examples: [
      'rookery serve',
      'PORT=8080 DEMO=off rookery serve',
      'DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery serve',
    ],
  }).action(async () => {
    const config = settings()
    const log = createLog(config.logLevel)
    // Node.js prints them as text.
    process.removeAllListeners('warning').on('warning', (err) => log.warn({ err }, 'a warning of Node.js'))
    const role = roleOf(config)
    if (role === 'worker') followPrimary()
    else {
      // Checked first, so that a port in use, or a setting that is wrong, does not leave a new database behind.
      await requireListening(config)
      const place = metricsAddress(config)
      if (place) await requireListening(place)
      await readRules(config.rulesFile)
    }
    const running = role === 'primary' ? await startWorkers(config, log) : await openAndServe(config, log)
    if (!running) return
    let isStopping = false
    const stop = () => {
      // Without listeners, a second one ends the process at once. Workers get one from the primary process, and maybe another one.
      if (role !== 'worker') for (const signal of urgentSignals) process.removeListener(signal, stop)
      if (isStopping) return
      isStopping = true
      log.info('stopping')
      running.stop().catch(fail)
    }
    for (const signal of signals) process.on(signal, stop)
    if (role === 'worker') return
    const { origin, metricsUrl: metrics = null, demoToken = null } = running
    const { databaseUrl, dataDir, prefix } = config
    const url = origin + prefix
    const at = databaseUrl === undefined ? { embedded: resolve(dataDir) } : { server: withoutPassword(databaseUrl) }
    log.info({ origin, version, database: at, workers: config.workers, signUp: config.admission.signUp }, 'serving')
    // Printed last: whoever waits for this output may send a signal immediately.
    const addresses = { origin, graphql: `${url}/graphql`, rest: `${url}/api/v1`, metrics, demoToken }
    await print(addresses, banner(running, config)).catch((err) =>
      log.warn({ err }, 'the addresses could not be printed'),
    )
  })
}

/** Announces that it creates an embedded database, which takes a few seconds. */
function announceDatabase({ databaseUrl, dataDir, demo }: Config): void {
  if (databaseUrl !== undefined || hasEmbeddedDatabase(dataDir)) return
  const what = demo ? 'a database with a demo network' : 'a database'
  announce(`Creating ${what} in ${resolve(dataDir)} …`)
}

/** Opens the database and serves it in this process. */
async function openAndServe(config: Config, log: Log): Promise<RunningServer> {
  const [{ databaseOptions }, { openDatabase }] = await Promise.all([
    import('../server/config.ts'),
    import('../engine/data/database.ts'),
  ])
  // Start the database first: it runs in another thread while this one loads the modules.
  const { opening } = await new Promise<{ opening: Promise<Database> }>((resolve) => {
    const onStarting = () => {
      announceDatabase(config)
      resolve({ opening })
    }
    const opening = openDatabase({ ...databaseOptions(config, 'server'), onStarting }, log)
    opening.catch(() => resolve({ opening }))
  })
  const [database, { serve }] = await Promise.all([opening, import('../server/serve.ts')])
  return serve(database, config, log)
}

/** The text that `rookery serve` prints: its address, a token, a first command, where the data is, and how to stop it. */
function banner(
  { origin, metricsUrl, demoToken, whyNoToken }: RunningServer,
  { prefix, databaseUrl, dataDir }: Pick<Config, 'prefix' | 'databaseUrl' | 'dataDir'>,
): string {
  const url = origin + prefix
  const lines = {
    Open: `${url}/`,
    Token: demoToken ?? 'to get one, run "rookery token create <username>"',
    Try: `curl -H 'Authorization: Bearer ${demoToken ?? '<token>'}' ${url}/api/v1/user`,
    Data: databaseUrl === undefined ? resolve(dataDir) : withoutPassword(databaseUrl),
    Stop: demoToken === undefined ? 'Ctrl-C' : 'Ctrl-C. The data is kept, and the token ends',
    ...(metricsUrl !== undefined && { Metrics: metricsUrl }),
  }
  const width = Math.max(...Object.keys(lines).map((name) => name.length)) + 2
  const shown = Object.entries(lines).map(([name, text]) => `  ${name.padEnd(width)}${text}`)
  const why = whyNoToken === undefined ? [] : ['', `  There is no demo token: ${whyNoToken}`]
  return ['', 'Rookery is ready.', '', ...shown, ...why, ''].join('\n')
}
