import { type Command, CommanderError } from '@commander-js/extra-typings'
import { jsonOption, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
Erases the account, its posts and replies, likes and follows, and revokes its tokens. Replies
of others stay. The username becomes free. This cannot be undone, so it requires --yes.
It takes at least 5 seconds, unless the account was suspended before. If it is interrupted,
the account stays suspended: run the command again.

With --json: {uuid, publications, likes, follows}, the numbers of what was erased

Examples:
  $ rookery user delete robin --yes
`

/** `rookery user delete` */
export function addUserDelete(user: Command): void {
  user
    .command('delete')
    .summary('delete an account for good')
    .description('Delete an account with everything that it wrote.')
    .argument('<username>', 'the account', username)
    .option('--yes', 'confirm that the account is to be deleted for good')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username, { yes }) => {
      if (!yes) throw new CommanderError(2, 'rookery.unconfirmed', 'This cannot be undone: confirm it with --yes.')
      const { accountId } = await import('../../domain/administration.ts')
      const { deleteAccount } = await import('../../domain/account-deletion.ts')
      const deleted = await withDatabase(async (database) => {
        const uuid = await accountId(database, username)
        return { uuid, ...(await deleteAccount(database, uuid)) }
      })
      const { publications, likes, follows } = deleted
      printResult(
        deleted,
        () => `Deleted ${username}. Posts and replies: ${publications}. Likes: ${likes}. Follows: ${follows}.`,
      )
    })
}
