import type { Command } from '@commander-js/extra-typings'
import { afterOption, jsonOption, limitOption } from '../arguments.ts'
import { minute, nextPage, plain, printResult, table } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
Newest first. Times are in UTC.

With --json: {users: [{uuid, username, displayName, joinedAt}…], next}; next is the
UUID for --after, or null on the last page.

Examples:
  $ rookery user list
  $ rookery user list --limit 100 --json
`

/** `rookery user list` */
export function addUserList(user: Command): void {
  user
    .command('list')
    .summary('list accounts')
    .description('List accounts, one page at a time.')
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async ({ limit, after }) => {
      const { listAccounts } = await import('../../domain/administration.ts')
      const { rows, next } = await withDatabase((database) => listAccounts(database, { limit, after }))
      const users = rows.map(({ id, username, displayName, joinedAt }) => ({
        uuid: id,
        username,
        displayName,
        joinedAt,
      }))
      printResult({ users, next }, () => {
        const cells = users.map((user) => [
          user.uuid,
          minute(user.joinedAt, '-'),
          user.username,
          plain(user.displayName),
        ])
        return cells.length === 0
          ? 'No accounts.'
          : table(['UUID', 'JOINED', 'USERNAME', 'NAME'], cells) + nextPage('user list', limit, next)
      })
    })
}
