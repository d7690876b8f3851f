import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { addDoctor } from './doctor/doctor.ts'
import { exitCodesHelp } from './failure.ts'
import { addMigrate } from './migrate.ts'
import { addSchema } from './schema.ts'
import { addSeed } from './seed.ts'
import { addServe } from './serve.ts'
import { addToken } from './token/token.ts'
import { addUser } from './user/user.ts'

const manifest = z.object({ version: z.string() })

/** The version of this package. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return manifest.parse(JSON.parse(text)).version
}

const more = `
Settings come from the environment: HOST, PORT, DATABASE_URL, DATA_DIR and the others
of the README. "rookery doctor" checks them.

Examples:
  $ rookery serve
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery doctor
  $ rookery user create robin --email robin@example.org
  $ TOKEN=$(rookery token create robin --scopes post.get,post.send)
  $ rookery token create --help

${exitCodesHelp}
`

/** The whole command line. Its errors are thrown, for `fail` to tell them. */
export function createProgram(): Command {
  const program = new Command('rookery')
    .description('A self-hosted social network that is used only through its API.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', more)
  program.commandsGroup('Run it:')
  addServe(program)
  addMigrate(program)
  addDoctor(program)
  program.commandsGroup('Look after it:')
  addUser(program)
  addToken(program)
  addSeed(program)
  program.commandsGroup('Know it:')
  addSchema(program)
  program.helpCommand('help [command]', 'tell more of a command')
  return program
}
