import type { Command } from '@commander-js/extra-typings'
import { jsonOption, username } from '../arguments.ts'
import { minute, plain, printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
With --json: {uuid, username, displayName, email, emailVerified, bio, badges, followers,
following, joinedAt, suspendedAt, hasPassword, liveTokens}

Examples:
  $ rookery user show robin
  $ rookery user show robin --json
`

/** `rookery user show` */
export function addUserShow(user: Command): void {
  user
    .command('show')
    .summary('show an account')
    .description('Show an account and its number of active tokens.')
    .argument('<username>', 'the account', username)
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username) => {
      const { accountDetails } = await import('../../domain/administration.ts')
      const account = await withDatabase((database) => accountDetails(database, username))
      const { id, followerCount, followingCount, ...rest } = account
      const details = { uuid: id, ...rest, followers: followerCount, following: followingCount }
      printResult(details, () =>
        [
          `Username   ${details.username}`,
          `UUID       ${details.uuid}`,
          `Name       ${plain(details.displayName)}`,
          `E-mail     ${plain(details.email)}${details.emailVerified ? '' : ' (not verified)'}`,
          `Bio        ${plain(details.bio)}`,
          `Badges     ${plain(details.badges.join(', '))}`,
          `Followers  ${details.followers}`,
          `Following  ${details.following}`,
          `Joined     ${minute(details.joinedAt, '-')}`,
          `Suspended  ${minute(details.suspendedAt, 'no')}`,
          `Password   ${details.hasPassword ? 'yes' : 'none'}`,
          `Tokens     ${details.liveTokens}`,
        ]
          .map((line) => line.trimEnd())
          .join('\n'),
      )
    })
}
