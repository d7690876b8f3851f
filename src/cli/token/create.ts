import { type Command, Option } from '@commander-js/extra-typings'
import { scopes as allScopes } from '../../scopes.ts'
import { jsonOption, scopeList, username, wholeNumber } from '../arguments.ts'
import { printResult } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
The token is all that is printed, this once: it is not stored.

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
    .summary('issue a token and print it')
    .description('Issue a token to an account, and print it.')
    .argument('<username>', 'whose it is to be', username)
    .option('--scopes <list>', 'what it permits, separated by commas; everything without it', scopeList)
    .option('--name <text>', 'what it is for, 1 to 50 characters', 'Command line')
    .option('--days <count>', 'how long it lives', wholeNumber(1, 36_500), 90)
    .addOption(new Option('--no-expiry', 'it lives until it is revoked').conflicts('days'))
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
