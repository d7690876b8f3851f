import { styleText } from 'node:util'
import { Command } from '@commander-js/extra-typings'
import { version } from '../version.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addDocuments } from './documents/documents.ts'
import { exitCodesHelp } from './failure.ts'
import { addMigrate } from './migrate.ts'
import { addPost } from './post.ts'
import { addSchema } from './schema.ts'
import { addSeed } from './seed.ts'
import { addServe } from './serve.ts'
import { addToken } from './token/token.ts'
import { addUser } from './user/user.ts'

const more = `
Environment variables configure Rookery: HOST, PORT, DATABASE_URL, DATA_DIR and others
that docs/operations.md lists. "rookery doctor" checks them.

Examples:
  $ rookery serve
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery doctor
  $ rookery user create robin --email robin@example.org
  $ TOKEN=$(rookery token create robin --scopes post.get,post.send)
  $ rookery token create --help

${exitCodesHelp}
`

/** The command line. It throws its errors, which `fail` reports. */
export function createProgram(): Command {
  const program = new Command('rookery')
    .description('A self-hosted social network that is used only through its API.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .addHelpText('after', more)
  program.commandsGroup('Server:')
  addServe(program)
  addMigrate(program)
  addDoctor(program)
  program.commandsGroup('Data:')
  addUser(program)
  addToken(program)
  addPost(program)
  addSeed(program)
  addDocuments(program)
  program.commandsGroup('Documents:')
  addSchema(program)
  program.helpCommand('help [command]', 'print help for a command')
  return program
}
