import type { Command } from '@commander-js/extra-typings'
import { scopes as allScopes } from '../../scopes.ts'
import { afterOption, jsonOption, limitOption, username } from '../arguments.ts'
import { minute, nextPage, plain, printResult, table } from '../output.ts'
import { withDatabase } from '../with-database.ts'

const more = `
Newest first, including expired tokens. Times are in UTC. The tokens themselves are not stored.

With --json: {tokens: [{uuid, name, scopes, application, createdAt, expiresAt,
lastUsedAt}…], next}; next is the UUID for --after, or null on the last page.

Examples:
  $ rookery token list robin
`

function scopesText(scopes: readonly string[]): string {
  return scopes.length === allScopes.length ? 'all' : scopes.join(',')
}

/** `rookery token list` */
export function addTokenList(token: Command): void {
  token
    .command('list')
    .summary('list the tokens of an account')
    .description('List the tokens of an account, one page at a time.')
    .argument('<username>', 'the account', username)
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async (username, { limit, after }) => {
      const { accountId, listTokens } = await import('../../domain/administration.ts')
      const { rows, next } = await withDatabase(async (database) =>
        listTokens(database, await accountId(database, username), { limit, after }),
      )
      const tokens = rows.map(({ id, name, scopes, applicationId, createdAt, expiresAt, lastUsedAt }) => ({
        uuid: id,
        name,
        scopes,
        application: applicationId,
        createdAt,
        expiresAt,
        lastUsedAt,
      }))
      printResult({ tokens, next }, () => {
        if (tokens.length === 0) return 'No tokens.'
        const heading = ['UUID', 'CREATED', 'EXPIRES', 'LAST USED', 'SCOPES', 'NAME']
        const cells = tokens.map((token) => [
          token.uuid,
          minute(token.createdAt, '-'),
          minute(token.expiresAt, 'never'),
          minute(token.lastUsedAt, 'never'),
          scopesText(token.scopes),
          plain(token.name),
        ])
        return table(heading, cells) + nextPage(`token list ${username}`, limit, next)
      })
    })
}
