import { Argument, type Command, Option } from '@commander-js/extra-typings'
import { nameBounds } from '../features/base/bounds.ts'
import { lengthOf } from '../features/base/input-rules.ts'
import { scopes as allScopes, commonScopes, everyScope } from '../features/base/scopes.ts'
import { addCommand, addListCommand, integer, mostUuids, nextUuid, scopeList, username } from './command.ts'
import { minute, plain, print, printPage, printSecret } from './output.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** `rookery token` */
export function addToken(program: Command): void {
  const token = addCommand(program, 'token', 'Manage the bearer tokens of an account.')

  addCommand(token, 'create', 'Issue a token for an account and print it.', {
    more: 'Prints only the token, which cannot be printed again: the database stores its hash.',
    json: '{token, uuid, name, scopes, expiresAt}',
    examples: [
      'rookery token create robin --scopes post.get,post.send --name Bot --days 30',
      'TOKEN=$(rookery token create robin --no-expiry)',
    ],
  })
    .argument('<username>', 'the account', username)
    .option(
      '--scopes <list>',
      `comma-separated scopes (default: all that the account may have): ${allScopes.join(', ')}`,
      scopeList,
    )
    .option('--name <text>', `name of the token: ${lengthOf(nameBounds)}`, 'Command line')
    .option('--days <count>', 'days until it expires', integer(1, 36_500), 90)
    .addOption(new Option('--no-expiry', 'never expire').conflicts('days'))
    .action(async (username, { scopes, name, days, expiry }) => {
      const { issueTokenTo, revokeTokens } = await import('../features/accounts/administration.ts')
      const { daysFromNow } = await import('../features/accounts/access-tokens.ts')
      const expiresAt = expiry ? daysFromNow(days) : null
      await withAccount(username, async (database, userId) => {
        const { token, accessToken } = await issueTokenTo(database, { userId, name, scopes, expiresAt })
        const { id: uuid, scopes: granted } = accessToken
        await printSecret({ token, uuid, name, scopes: granted, expiresAt }, token, async () => {
          await revokeTokens(database, [uuid])
          return 'The token was revoked.'
        })
      })
    })

  const fields = 'uuid, name, scopes, application, createdAt, expiresAt, lastUsedAt'
  addListCommand(token, 'List the tokens of an account, including expired ones', 'tokens', fields)
    .argument('<username>', 'the account', username)
    .action(async (username, { limit, after }) => {
      const { listTokens } = await import('../features/accounts/administration.ts')
      const page = await withAccount(username, (database, uuid) => listTokens(database, uuid, { limit, after }))
      const rows = page.rows.map(({ id, name, scopes, applicationId, createdAt, expiresAt, lastUsedAt }) => {
        return { id, name, scopes, application: applicationId, createdAt, expiresAt, lastUsedAt }
      })
      await printPage('tokens', { rows, next: page.next }, `token list ${username} --limit ${limit}`, {
        UUID: ({ id }) => id,
        CREATED: ({ createdAt }) => minute(createdAt),
        EXPIRES: ({ expiresAt }) => minute(expiresAt),
        'LAST USED': ({ lastUsedAt }) => minute(lastUsedAt),
        SCOPES: ({ scopes }) => shortened(scopes),
        NAME: ({ name }) => plain(name),
      })
    })

  addCommand(token, 'revoke', 'Revoke tokens by UUID, or all tokens of an account.', {
    more: `
"rookery token list" prints the UUIDs. If one of them is unknown, no token is revoked.
A running server rejects the tokens within 5 seconds.`,
    json: '{revoked}, the number of revoked tokens.',
    examples: ['rookery token revoke 019ab2c4-0000-7000-8000-000000000000', 'rookery token revoke --all-of robin'],
  })
    .addArgument(new Argument('[uuids...]', `the UUIDs of the tokens, ${mostUuids}`).argParser(nextUuid))
    .option('--all-of <username>', 'revoke all tokens of this account', username)
    .action(async (uuids: string[] = [], { allOf }, command) => {
      if ((uuids.length === 0) === (allOf === undefined)) command.error('Give either UUIDs or --all-of.')
      const { revokeAllOf, revokeTokens } = await import('../features/accounts/administration.ts')
      const revoked = await (allOf === undefined
        ? withDatabase((database) => revokeTokens(database, uuids))
        : withAccount(allOf, revokeAllOf))
      await print({ revoked }, `Tokens revoked: ${revoked}.`)
    })
}

const common = new Set<string>(commonScopes)

/** A list of scopes. "all" stands for the scopes that every account may have. */
function shortened(scopes: readonly string[]): string {
  if (scopes.includes(everyScope)) return 'all'
  const others = scopes.filter((scope) => !common.has(scope))
  return scopes.length - others.length === common.size ? ['all', ...others].join(',') : scopes.join(',')
}

/** `rookery authorization` */
export function addAuthorization(program: Command): void {
  const authorization = addCommand(
    program,
    'authorization',
    'List and revoke the authorizations that accounts gave to applications.',
  )

  const fields = 'uuid, name, clientId, scopes, createdAt, lastUsedAt, expiresAt'
  addListCommand(authorization, 'List the applications that are connected to an account', 'authorizations', fields)
    .argument('<username>', 'the account', username)
    .action(async (username, { limit, after }) => {
      const { listAuthorizations } = await import('../features/applications/authorizations.ts')
      const page = await withAccount(username, (database, uuid) => listAuthorizations(database, uuid, { limit, after }))
      const rows = page.rows.map(({ id, application, scopes, createdAt, lastUsedAt, expiresAt }) => {
        const { name, clientId, id: uuid } = application
        return { id, name, clientId: clientId ?? uuid, scopes, createdAt, lastUsedAt, expiresAt }
      })
      await printPage('authorizations', { rows, next: page.next }, `authorization list ${username} --limit ${limit}`, {
        UUID: ({ id }) => id,
        CREATED: ({ createdAt }) => minute(createdAt),
        'LAST USED': ({ lastUsedAt }) => minute(lastUsedAt),
        APPLICATION: ({ name }) => plain(name),
        'CLIENT ID': ({ clientId }) => plain(clientId),
        SCOPES: ({ scopes }) => scopes.join(','),
      })
    })

  addCommand(authorization, 'revoke', 'Revoke authorizations by UUID, which disconnects the applications.', {
    more: `
"rookery authorization list" prints the UUIDs. If one of them is unknown, nothing is revoked.
A running server rejects their tokens within 5 seconds.`,
    json: '{revoked}, the number of revoked authorizations.',
    examples: ['rookery authorization revoke 019ab2c4-0000-7000-8000-000000000000'],
  })
    .addArgument(new Argument('<uuids...>', `the UUIDs of authorizations, ${mostUuids}`).argParser(nextUuid))
    .action(async (uuids: string[]) => {
      const { revokeAuthorizations } = await import('../features/accounts/administration.ts')
      const revoked = await withDatabase((database) => revokeAuthorizations(database, uuids))
      await print({ revoked }, `Authorizations revoked: ${revoked}.`)
    })
}
