import { type Command, Option } from '@commander-js/extra-typings'
import { scopes as allScopes } from '../../scopes.ts'
import { integer, jsonOption, scopeList, username } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
Prints the token only. It is not stored and cannot be printed again.

Scopes:
  ${allScopes.slice(0, 5).join(', ')},
  ${allScopes.slice(5, 10).join(', ')},
  ${allScopes.slice(10, 15).join(', ')},
  ${allScopes.slice(15).join(', ')}

With --json: {token, uuid, name, scopes, expiresAt}

Examples:
  $ rookery token create robin
  $ rookery token create robin --scopes post.get,post.send --name Bot --days 30
  $ TOKEN=$(rookery token create robin --no-expiry)
`

/** `rookery token create` */
export function addTokenCreate(token: Command): void {
  token
    .command('create')
    .summary('issue a token')
    .description('Issue a token for an account and print it.')
    .argument('<username>', 'the account', username)
    .option('--scopes <list>', 'comma-separated scopes (default: all)', scopeList)
    .option('--name <text>', 'name of the token, 1 to 50 characters', 'Command line')
    .option('--days <count>', 'days until it expires', integer(1, 36_500), 90)
    .addOption(new Option('--no-expiry', 'never expire').conflicts('days'))
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username, { scopes = allScopes, name, days, expiry }) => {
      const { accountId, issueTokenTo } = await import('../../domain/administration.ts')
      const { daysFromNow } = await import('../../domain/access-tokens.ts')
      const expiresAt = expiry ? daysFromNow(days) : null
      const issued = await withDatabase(async (database) =>
        issueTokenTo(database, { userId: await accountId(database, username), name, scopes, expiresAt }),
      )
      const { id, scopes: granted } = issued.accessToken
      printResult({ token: issued.token, uuid: id, name, scopes: granted, expiresAt }, () => issued.token)
    })
}
