import type { Command } from '@commander-js/extra-typings'
import { jsonOption } from './arguments.ts'
import { printResult } from './output.ts'
import { withDatabase } from './with-database.ts'

const more = `
Applies all pending migrations, or none. The server does the same when it starts.
Creates the embedded database if it does not exist.

With --json: {applied: [name…]}

Examples:
  $ rookery migrate
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery migrate --json
`

/** `rookery migrate` */
export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('apply pending migrations')
    .description('Apply pending migrations to the database.')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async () => {
      const applied = await withDatabase(async ({ applied }) => applied, { create: true })
      const lines = applied.map((name) => `Applied ${name}.`)
      printResult({ applied }, () => [...lines, 'The database is up to date.'].join('\n'))
    })
}
