import { Argument, type Command } from '@commander-js/extra-typings'
import { addCommand, addListCommand, mostUuids, nextUuid, username } from './command.ts'
import { minute, plain, print, printPage } from './output.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** `rookery authorization` */
export function addAuthorization(program: Command): void {
  const authorization = addCommand(program, 'authorization', 'List and revoke what accounts have allowed applications.')

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

  addCommand(authorization, 'revoke', 'Disconnect applications by the UUIDs of their authorizations.', {
    more: `
"rookery authorization list" prints the UUIDs. If one of them is unknown, nothing is revoked.
A running server rejects the tokens within 5 seconds.`,
    json: '{revoked}, the number of revoked authorizations',
    examples: ['rookery authorization revoke 019ab2c4-0000-7000-8000-000000000000'],
  })
    .addArgument(new Argument('<uuids...>', `the UUIDs of authorizations, ${mostUuids}`).argParser(nextUuid))
    .action(async (uuids: string[]) => {
      const { revokeAuthorizations } = await import('../features/accounts/administration.ts')
      const revoked = await withDatabase((database) => revokeAuthorizations(database, uuids))
      await print({ revoked }, `Authorizations revoked: ${revoked}.`)
    })
}
