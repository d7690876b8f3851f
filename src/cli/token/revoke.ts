import { Argument, type Command, CommanderError } from '@commander-js/extra-typings'
import { jsonOption, nextUuid, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
"rookery token list" prints the UUIDs. If one of them is unknown, no token is revoked.
A running server rejects the tokens within 5 seconds.

With --json: {revoked}, the number of revoked tokens

Examples:
  $ rookery token revoke 019ab2c4-0000-7000-8000-000000000000
  $ rookery token revoke --all-of robin
`

/** `rookery token revoke` */
export function addTokenRevoke(token: Command): void {
  token
    .command('revoke')
    .summary('revoke tokens')
    .description('Revoke tokens by UUID, or all tokens of an account.')
    .addArgument(new Argument('[uuids...]', 'the UUIDs of the tokens, at most 100').argParser(nextUuid))
    .option('--all-of <username>', 'revoke all tokens of this account', username)
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (uuids: string[] | undefined, { allOf }) => {
      const ids = uuids ?? []
      if ((ids.length === 0) === (allOf === undefined)) {
        throw new CommanderError(2, 'commander.conflictingOption', 'Give either UUIDs or --all-of.')
      }
      const { accountId, revokeAllOf, revokeTokens } = await import('../../domain/administration.ts')
      const revoked = await withDatabase(async (database) =>
        allOf === undefined ? revokeTokens(database, ids) : revokeAllOf(database, await accountId(database, allOf)),
      )
      printResult({ revoked }, () => `Tokens revoked: ${revoked}.`)
    })
}
