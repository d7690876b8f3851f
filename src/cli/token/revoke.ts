import { Argument, type Command, CommanderError } from '@commander-js/extra-typings'
import { jsonOption, username, uuid } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
The uuids are those of "rookery token list". If one of them is unknown, none is revoked.
A server that runs refuses the tokens within 5 seconds.

With --json: {revoked}, how many they were

Examples:
  $ rookery token revoke 019ab2c4-0000-7000-8000-000000000000
  $ rookery token revoke --all-of robin
`

/** `rookery token revoke` */
export function addTokenRevoke(token: Command): void {
  token
    .command('revoke')
    .summary('revoke tokens')
    .description('Revoke tokens by their uuids, or all of an account.')
    .addArgument(
      new Argument('[uuids...]', 'which').argParser((text: string, before: string[] | undefined) => [
        ...(before ?? []),
        uuid(text),
      ]),
    )
    .option('--all-of <username>', 'all tokens of this account', username)
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (uuids: string[] | undefined, { allOf }) => {
      const ids = uuids ?? []
      if ((ids.length === 0) === (allOf === undefined)) {
        throw new CommanderError(2, 'commander.conflictingOption', 'Name the tokens by their uuids, or use --all-of.')
      }
      const { accountId, revokeAllOf, revokeTokens } = await import('../../domain/administration.ts')
      const revoked = await withDatabase(async (database) =>
        allOf === undefined ? revokeTokens(database, ids) : revokeAllOf(database, await accountId(database, allOf)),
      )
      printResult({ revoked }, () => `Revoked: ${revoked}.`)
    })
}
