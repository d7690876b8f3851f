import { staleness } from '../../engine/auth/viewers.ts'
import { globalId, objectOfPayload, type ValueRead } from '../../engine/compiler/field-reads.ts'
import { comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import { uuidIn } from '../../engine/schema/scalars.ts'
import { type Scope, scopeEnumName } from '../../engine/scopes.ts'
import { nameBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored } from '../base/input-rules.ts'
import { pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { commonScopes, everyScope, scopes } from '../base/scopes.ts'
import { ownedByViewer, viewer } from '../visibility/viewer.ts'
import { createAccessToken, maxTokens, revokeAccessToken, revokeOtherTokens } from './access-tokens.ts'

/** The scopes as an enum of the schema. */
export const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission of a token.',
  values: Object.fromEntries(
    scopes.map((value) => [scopeEnumName(value), { value, description: `\`${value}\` in REST.` }]),
  ),
})

/** Whether a token is the viewer's own. */
export const isOwnToken = (row: Sql): Sql => sql`${row}.user_id = ${viewer.id}`

/** Whether a token is the one in use. */
const isCurrentToken: ValueRead = { value: (row) => sql`${row}.id = ${viewer.tokenId}` }

const named = (scope: Scope) =>
  sql`(${sql.literal(scope)}, ${sql.literal(scopeEnumName(scope))}, ${sql.literal(String(commonScopes.includes(scope)))}::boolean)`

/** The scopes of a token that exist, by their names in the schema. */
export const scopesOfToken: ValueRead = {
  value: (row) => sql`(select coalesce(json_agg(known.name order by own.place), '[]')
    from unnest(${row}.scopes) with ordinality own (scope, place)
    join (values ${sql.join(scopes.map(named), comma)}) known (scope, name, is_common) on known.scope = own.scope
      or own.scope = ${sql.literal(everyScope)} and (known.is_common
        or exists (select from users u where u.id = ${row}.user_id and u.moderator_since is not null)))`,
}

/** The record of a bearer token, which only its owner sees. */
export const AccessToken = builder.prismaObject('AccessToken', {
  description: 'The record of a bearer token (RFC 6750). The token itself is shown only once, when it is created.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { where: isOwnToken, nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, for `node` and `revokeAccessToken`.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    name: t.exposeString('name', formed('The name', stored(nameBounds))),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'The scopes of the token.',
      read: scopesOfToken,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the token was created.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token expires; null if never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token was last used, to the minute; null if never.',
    }),
    application: t.relation('application', {
      nullable: true,
      description: 'The application that the token was issued to; null if none.',
    }),
    isCurrent: t.boolean({
      description: 'Whether this is the token in use; after signing up or in, the new one.',
      read: isCurrentToken,
    }),
  }),
})

builder.queryField('accessTokens', (t) =>
  t.field({
    type: pageOf(AccessToken, 'AccessToken', 'access tokens'),
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's access tokens, newest first.",
    read: ownedByViewer(sql`user_id`),
  }),
)

builder.relayMutationField(
  'createAccessToken',
  {
    description:
      'The token to create. It cannot have more scopes, a later expiry or another application than the ' +
      'token that creates it.',
    inputFields: (t) => ({
      name: t.string({ required: true, ...formed('The name', nameBounds) }),
      scopes: t.field({
        type: [ScopeEnum],
        required: true,
        description: 'The scopes of the new token: at least one, and only scopes that the token in use has.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description:
          'When the new token expires. The expiry of the token in use is the latest possible and the default.',
      }),
      application: t.field({
        type: 'UUID',
        description: "One of the viewer's applications. Publications that are sent with the new token are `from` it.",
      }),
    }),
  },
  {
    permission: manageAccount,
    description:
      'Creates an access token for the viewer. Errors: `INSUFFICIENT_SCOPE` and `FORBIDDEN` for more ' +
      'rights than the token in use has, `NOT_FOUND` for the application, `CONFLICT` when the viewer ' +
      `already has ${maxTokens} tokens.`,
    extensions: { handlesSecrets: true },
    resolve: async (_root, { input }, context, info) => {
      const { database, services, viewer } = context
      const { token, accessToken } = await createAccessToken(database, viewer, input, services.mail !== undefined)
      return { ...(await readPayload(context, info, accessToken.id, 'read the access tokens of the viewer')), token }
    },
  },
  {
    outputFields: (t) => ({
      token: t.exposeString('token', { description: 'The bearer token. It is shown only once.' }),
      accessToken: t.field({ type: AccessToken, description: 'The record of the token.', read: objectOfPayload }),
    }),
  },
)

builder.relayMutationField(
  'revokeAccessToken',
  { inputFields: (t) => ({ id: t.id({ required: true, description: 'The global id of the token.' }) }) },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      `Revokes one of the viewer's access tokens. Every server process refuses it within ` +
      `${staleness / 1_000} seconds. Errors: \`NOT_FOUND\`.`,
    resolve: (_root, { input }, context, info) => {
      const uuid = uuidIn(input, AccessToken.name, info.schema)
      context.changedAccounts.add(context.viewer.id)
      return revokeAccessToken(context.database, context.viewer, uuid, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('accessToken', AccessToken, 'The record of the token just before it was revoked.'),
)

builder.relayMutationField(
  'signOut',
  null,
  {
    staysOpenTo: ['pending', 'suspended'],
    description:
      `Revokes the token in use, which requires no scope. Every server process refuses it within ${staleness / 1_000} ` +
      'seconds.',
    resolve: (_root, _args, context, info) => {
      const { database, viewer, changedAccounts } = context
      changedAccounts.add(viewer.id)
      return revokeAccessToken(database, viewer, viewer.tokenId, payloadBefore(context, info, viewer.tokenId))
    },
  },
  payloadWith('accessToken', AccessToken, 'The record of the token just before it was revoked.'),
)

builder.relayMutationField(
  'revokeOtherTokens',
  null,
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      `Revokes all of the viewer's access tokens but the one in use. Every server process refuses them ` +
      `within ${staleness / 1_000} seconds.`,
    resolve: async (_root, _args, { database, viewer, changedAccounts }) => {
      changedAccounts.add(viewer.id)
      return { revokedCount: await revokeOtherTokens(database, viewer) }
    },
  },
  {
    outputFields: (t) => ({
      revokedCount: t.exposeInt('revokedCount', {
        description: 'How many tokens were revoked, including expired ones.',
      }),
    }),
  },
)
