import { styleText } from 'node:util'
import { Command, Help } from '@commander-js/extra-typings'
import { version } from '../engine/package.ts'
import { throwingErrors } from './command.ts'
import { addDoctor } from './doctor.ts'
import { addDocuments, addSchema } from './documents.ts'
import { exitCodesHelp, fail } from './failure.ts'
import { addInvitation } from './invitation.ts'
import { addMigrate, addSeed } from './migrate-and-seed.ts'
import { addAppeal, addApplicant, addApplication, addLog, addPost, addReport } from './moderation.ts'
import { tell, write } from './output.ts'
import { addServe } from './serve.ts'
import { addAuthorization, addToken } from './token.ts'
import { addUser } from './user.ts'

const more = `
Environment variables such as HOST, PORT, DATABASE_URL and DATA_DIR configure Rookery.
docs/operate.md lists them all, and "rookery doctor" checks them.

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
  const program = throwingErrors(new Command('rookery'))
    .description('A self-hosted social network that you use through its API.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({
      styleTitle: (title) => styleText('bold', title, { validateStream: false }),
      optionDescription: (option) => new Help().optionDescription(option) + (option.mandatory ? ' (required)' : ''),
    })
    .configureOutput({ writeOut: (text) => void write(text).catch(fail), writeErr: tell, outputError: () => undefined })
    .addHelpText('after', more)
  program.commandsGroup('Server:')
  for (const add of [addServe, addMigrate, addDoctor]) add(program)
  program.commandsGroup('Data:')
  for (const add of [
    addUser,
    addToken,
    addAuthorization,
    addApplication,
    addPost,
    addReport,
    addAppeal,
    addInvitation,
    addApplicant,
    addLog,
    addSeed,
    addDocuments,
  ])
    add(program)
  for (const command of program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each])))
    command.option('--json', 'print one JSON document to stdout, and errors as JSON to stderr')
  program.commandsGroup('Documents:')
  addSchema(program)
  program.helpCommand('help [command]', 'print help for a command')
  return program
}
