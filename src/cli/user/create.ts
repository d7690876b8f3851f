import type { Command } from '@commander-js/extra-typings'
import { jsonOption, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'
import { passwordLines, passwordOption, readNewPassword } from './password.ts'

const more = `
Works even if SIGN_UP=closed. To issue a token for the account, use "rookery token create".

With --json: {uuid, username, password}; the password is null unless it was generated.

Examples:
  $ rookery user create robin --email robin@example.org
  $ rookery user create robin --email robin@example.org --password-stdin < password.txt
`

/** `rookery user create` */
export function addUserCreate(user: Command): void {
  user
    .command('create')
    .summary('create an account')
    .description('Create an account with a password from stdin or a generated one.')
    .argument('<username>', '1 to 30 characters of A-Z, a-z, 0-9 and _', username)
    .requiredOption('--email <address>', 'visible to the account only')
    .option('--name <text>', 'display name (default: the username)')
    .addOption(passwordOption())
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username, { email, name, passwordStdin }) => {
      const { password, generated } = await readNewPassword(passwordStdin)
      const { addAccount } = await import('../../domain/administration.ts')
      const account = { username, email, password, displayName: name }
      const uuid = await withDatabase((database) => addAccount(database, account))
      printResult(
        { uuid, username, password: generated },
        () => `Created ${username}, ${uuid}.${passwordLines(generated)}`,
      )
    })
}
