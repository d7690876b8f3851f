import type { Command } from '@commander-js/extra-typings'
import type { Database } from '../data/database.ts'
import { createLog } from '../log.ts'
import { requireListening } from '../server/listen.ts'
import { jsonOption } from './arguments.ts'
import { fail } from './failure.ts'
import { printResult } from './output.ts'
import { settings } from './settings.ts'

const more = `
The first start on an embedded database makes it, in DATA_DIR, and fills it with a demo
network unless DEMO=off. Logs are JSON lines on stderr.

With --json: {origin, graphql, rest, demoToken}, as soon as it is ready.

Examples:
  $ rookery serve
  $ PORT=8080 DEMO=off rookery serve
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery serve
`

/** `rookery serve` */
export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('serve GraphQL and REST')
    .description('Serve GraphQL and REST until SIGINT or SIGTERM.')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async () => {
      const config = settings()
      const log = createLog(config.logLevel)
      // Before a database is made for nothing.
      await requireListening(config)
      const { databaseOptions, openDatabase } = await import('../data/database.ts')
      // The database starts first, because loading the rest keeps this thread busy.
      const { opening } = await new Promise<{ opening: Promise<Database> }>((resolve) => {
        const onStarting = () => resolve({ opening })
        const opening = openDatabase({ ...databaseOptions(config, 'server'), onStarting }, log)
        opening.catch(onStarting)
      })
      const [database, { serve }, { welcome }] = await Promise.all([
        opening,
        import('../server/serve.ts'),
        import('../server/welcome.ts'),
      ])
      const running = await serve(database, config, log)
      const stop = () => {
        // A second signal ends the process at once.
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop)
        log.info('stopping')
        running.stop().catch(fail)
      }
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
      const { origin, demoToken = null } = running
      // Last, so that whoever waits for it may stop the process at once.
      printResult({ origin, graphql: `${origin}/graphql`, rest: `${origin}/api/v1`, demoToken }, () => welcome(running))
    })
}
