import { staleness } from '../../engine/auth/viewers.ts'
import { globalId, objectOfPayload, ownedByViewer } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { uuidIn } from '../../engine/schema/global-id.ts'
import { builder } from '../base/builder.ts'
import { nameRule } from '../base/input-rules.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { ScopeEnum } from '../base/scope-enum.ts'
import { refusedInNames } from '../base/text-rules.ts'
import { createAccessToken, maxTokens, revokeAccessToken, revokeOtherTokens } from './access-tokens.ts'
import { isCurrentToken, isOwnToken, scopesOfToken } from './token-reads.ts'

/** The record of a bearer token, which only its owner sees. */
export const AccessToken = builder.prismaObject('AccessToken', {
  description: 'The record of a bearer token (RFC 6750). The token itself is shown only once, when it is created.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { where: isOwnToken, nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, for `node` and `revokeAccessToken`.', read: globalId }),
    name: t.exposeString('name', { description: 'The name: 1 to 50 characters.' }),
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

const AccessTokenConnection = builder.connectionObject(
  {
    type: AccessToken,
    name: 'AccessTokenConnection',
    description: 'A page of access tokens (Relay Cursor Connections Specification).',
  },
  { name: 'AccessTokenEdge', description: 'An access token of a page, with its cursor.' },
)

builder.queryField('accessTokens', (t) =>
  t.field({
    type: AccessTokenConnection,
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
      'The token to create. It cannot have more scopes, a later expiry or another application than the token in use.',
    inputFields: (t) => ({
      name: t.string({
        required: true,
        description: `The name: 1 to 50 characters without ${refusedInNames}.`,
        ...nameRule,
      }),
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
    description: `Creates an access token for the viewer. Errors: \`INSUFFICIENT_SCOPE\` and \`FORBIDDEN\` for more rights than the token in use has, \`NOT_FOUND\` for the application, \`CONFLICT\` when the viewer already has ${maxTokens} tokens.`,
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
    description: `Revokes one of the viewer's access tokens. Every server process refuses it within ${staleness / 1_000} seconds. Errors: \`NOT_FOUND\`.`,
    resolve: (_root, { input }, context, info) => {
      const uuid = uuidIn(input, AccessToken.name, info.schema)
      context.changedAccounts.add(context.viewer.id)
      return revokeAccessToken(context.database, context.viewer, uuid, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('accessToken', AccessToken, 'The record of the token just before it was revoked.'),
)

builder.relayMutationField(
  'revokeOtherTokens',
  null,
  {
    permission: manageAccount,
    description: `Revokes all of the viewer's access tokens but the one in use. Every server process refuses them within ${staleness / 1_000} seconds.`,
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
