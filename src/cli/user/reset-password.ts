import type { Command } from '@commander-js/extra-typings'
import { jsonOption, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'
import { passwordLines, passwordOption, readNewPassword } from './password.ts'

const more = `
Revokes all tokens of the account. A running server rejects them within 5 seconds.

With --json: {uuid, password, revokedTokens}; the password is null unless it
was generated.

Examples:
  $ rookery user reset-password robin
  $ rookery user reset-password robin --password-stdin < password.txt
`

/** `rookery user reset-password` */
export function addUserResetPassword(user: Command): void {
  user
    .command('reset-password')
    .summary('set a new password')
    .description('Set a new password, from stdin or a generated one.')
    .argument('<username>', 'the account', username)
    .addOption(passwordOption())
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username, { passwordStdin }) => {
      const { password, generated } = await readNewPassword(passwordStdin)
      const { accountId, resetPassword } = await import('../../domain/administration.ts')
      const { uuid, revokedTokens } = await withDatabase(async (database) => {
        const uuid = await accountId(database, username)
        return { uuid, revokedTokens: await resetPassword(database, uuid, password) }
      })
      printResult(
        { uuid, password: generated, revokedTokens },
        () => `Changed the password of ${username}. Tokens revoked: ${revokedTokens}.${passwordLines(generated)}`,
      )
    })
}
