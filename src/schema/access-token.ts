import { createAccessToken, maxTokens, revokeAccessToken, revokeOtherTokens } from '../domain/access-tokens.ts'
import { manageAccount } from '../domain/permissions.ts'
import { staleness } from '../domain/sessions.ts'
import { refusedInNames } from '../domain/text.ts'
import { invalid } from '../errors.ts'
import { isCurrentToken, isOwnToken, scopesOfToken } from '../reads/access-tokens.ts'
import { globalId, objectOfPayload, ownedByViewer } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import { builder } from './builder.ts'
import { decodeGlobalId } from './global-id.ts'
import { type MutationPayload, payloadBefore, payloadOf, readPayload } from './payload.ts'
import { ScopeEnum } from './scope.ts'

/** The record of a bearer token, which only its owner sees. */
export const AccessToken = builder.prismaObject('AccessToken', {
  description: 'The record of a bearer token (RFC 6750). The token itself is shown only once, when it is created.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { where: isOwnToken, nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id, for `node` and `revokeAccessToken`.', read: globalId }),
    name: t.exposeString('name', { description: 'Name, 1 to 50 characters.' }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'Scopes of the token.',
      read: scopesOfToken,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null if never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null if never.',
    }),
    application: t.relation('application', {
      nullable: true,
      description: 'The application that it was issued to; null if none.',
    }),
    isCurrent: t.boolean({
      description: 'Whether it is the token of this request, or the new one after signing up or in.',
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

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description:
    'The token to create. It cannot have more scopes, a later expiry or another application than the token in use.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `Name, 1 to 50 characters without ${refusedInNames}.`,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'Scopes of the new token: at least one, and only scopes that the token in use has.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the new token expires. The expiry of the token in use is the latest possible and the default.',
    }),
    application: t.field({
      type: 'UUID',
      description: "One of the viewer's applications. Publications that are sent with the new token are `from` it.",
    }),
  }),
})

const CreateAccessTokenPayload = builder
  .objectRef<MutationPayload & { readonly token: string }>('CreateAccessTokenPayload')
  .implement({
    description: 'The result of creating an access token.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The bearer token. It is shown only once.',
      }),
      accessToken: t.field({ type: AccessToken, description: 'The record of the token.', read: objectOfPayload }),
    }),
  })

const RevokeAccessTokenInput = builder.inputType('RevokeAccessTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the token.' }) }),
})

const RevokeAccessTokenPayload = payloadOf(
  'RevokeAccessTokenPayload',
  'The result of revoking an access token.',
  'accessToken',
  { type: AccessToken, description: 'The token just before it was revoked.' },
)

const RevokeOtherTokensPayload = builder
  .objectRef<{ readonly revokedCount: number }>('RevokeOtherTokensPayload')
  .implement({
    description: 'The result of revoking all other access tokens.',
    fields: (t) => ({
      revokedCount: t.exposeInt('revokedCount', { description: 'How many tokens it revoked, expired ones included.' }),
    }),
  })

builder.queryField('accessTokens', (t) =>
  t.field({
    type: AccessTokenConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's access tokens, newest first.",
    read: ownedByViewer(sql`user_id`),
  }),
)

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    type: CreateAccessTokenPayload,
    permission: manageAccount,
    description: `Creates an access token for the viewer. Errors: \`INSUFFICIENT_SCOPE\` and \`FORBIDDEN\` for more rights than the token in use has, \`NOT_FOUND\` for the application, \`CONFLICT\` when the viewer already has ${maxTokens} tokens.`,
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: CreateAccessTokenInput, required: true, description: 'The token to create.' }) },
    resolve: async (_root, { input }, context, info) => {
      const { token, accessToken } = await createAccessToken(context.database, context.session, input)
      return { ...(await readPayload(context, info, accessToken.id, 'read the access tokens of the viewer')), token }
    },
  }),
  revokeAccessToken: t.field({
    type: RevokeAccessTokenPayload,
    permission: manageAccount,
    description: `Revokes one of the viewer's access tokens. Every server process refuses it within ${staleness / 1_000} seconds. Errors: \`NOT_FOUND\`.`,
    args: { input: t.arg({ type: RevokeAccessTokenInput, required: true, description: 'The token to revoke.' }) },
    resolve: (_root, { input: { id } }, context, info) => {
      const { type, uuid } = decodeGlobalId(id, 'id', info.schema)
      if (type.name !== AccessToken.name) throw invalid({ field: 'id', message: 'must be the id of an access token' })
      context.changedSessions.add(context.session.viewerId)
      return revokeAccessToken(context.database, context.session, uuid, payloadBefore(context, info, uuid))
    },
  }),
  revokeOtherTokens: t.field({
    type: RevokeOtherTokensPayload,
    permission: manageAccount,
    description: `Revokes all of the viewer's access tokens but the one in use. Every server process refuses them within ${staleness / 1_000} seconds.`,
    resolve: async (_root, _args, { database, session, changedSessions }) => {
      changedSessions.add(session.viewerId)
      return { revokedCount: await revokeOtherTokens(database, session) }
    },
  }),
}))
