import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { Database } from '../data/database.ts'
import { withoutPassword } from '../database-url.ts'
import { createLog } from '../log.ts'
import { requireListening } from '../server/listen.ts'
import { version } from '../version.ts'
import { addCommand } from './command.ts'
import { fail } from './failure.ts'
import { print } from './output.ts'
import { settings } from './settings.ts'

/** `rookery serve` */
export function addServe(program: Command): void {
  addCommand(program, 'serve', 'Serve GraphQL and REST until SIGINT or SIGTERM.', {
    more: `
Without DATABASE_URL, the first start creates an embedded database in DATA_DIR and fills
it with a demo network, unless DEMO=off. Logs are JSON lines on stderr.`,
    json: '{origin, graphql, rest, demoToken}, printed when the server is ready.',
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
    // Checked first, so that a port in use does not leave a new database behind.
    await requireListening(config)
    const { host, metricsPort: port } = config
    if (port !== undefined) await requireListening({ host, port, variable: 'METRICS_PORT' })
    const { databaseOptions, openDatabase } = await import('../data/database.ts')
    // Start the database first: it runs in another thread while this one loads the modules.
    const { opening } = await new Promise<{ opening: Promise<Database> }>((resolve) => {
      const onStarting = () => resolve({ opening })
      const opening = openDatabase({ ...databaseOptions(config, 'server'), onStarting }, log)
      opening.catch(onStarting)
    })
    const [database, { serve }, { banner }] = await Promise.all([
      opening,
      import('../server/serve.ts'),
      import('../server/banner.ts'),
    ])
    const running = await serve(database, config, log)
    const stop = () => {
      // Without listeners, a second signal ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop)
      log.info('stopping')
      running.stop().catch(fail)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
    const { origin, url, demoToken = null } = running
    const { databaseUrl, dataDir } = config
    const at = databaseUrl === undefined ? { embedded: resolve(dataDir) } : { server: withoutPassword(databaseUrl) }
    log.info({ origin, version, database: at, signUp: config.signUp ? 'open' : 'closed' }, 'serving')
    // Printed last: whoever waits for this output may send a signal immediately.
    print({ origin, graphql: `${url}/graphql`, rest: `${url}/api/v1`, demoToken }, banner(running))
  })
}
