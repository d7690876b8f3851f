import { createAccessToken, maxTokens, nameBounds, revokeAccessToken } from '../domain/access-tokens.ts'
import { manageAccount } from '../domain/permissions.ts'
import { staleness } from '../domain/sessions.ts'
import { refusedCharacters } from '../domain/text.ts'
import { invalid } from '../errors.ts'
import { pageCost } from '../reads/cost.ts'
import { isScope, scopeEnumName, scopes } from '../scopes.ts'
import { builder } from './builder.ts'
import { sessionOf } from './context.ts'
import { asciiOf, textOf } from './cost.ts'
import { decodeGlobalId, encodeGlobalId } from './global-id.ts'
import { connectionOf, pageRangeOf } from './pages.ts'
import { ScopeEnum } from './scope.ts'

/** Options of a field that holds a bearer token. */
export const bearerText = asciiOf(51)

/** The record of a bearer token, which only its owner sees. */
export const AccessToken = builder.prismaObject('AccessToken', {
  description: 'The record of a bearer token (RFC 6750). The token itself is shown only once, when it is created.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({
      description: 'Opaque global id, for `node` and `revokeAccessToken`.',
      resolve: ({ id }) => encodeGlobalId('AccessToken', id),
    }),
    name: t.exposeString('name', { description: 'Name, 1 to 50 characters.', ...textOf(nameBounds.max) }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'Scopes of the token.',
      extensions: { bytes: JSON.stringify(scopes.map(scopeEnumName)).length },
      resolve: ({ scopes }) => scopes.filter(isScope),
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
      description: `Name, 1 to 50 characters without ${refusedCharacters}.`,
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
  .objectRef<{ token: string; accessToken: typeof AccessToken.$inferType }>('CreateAccessTokenPayload')
  .implement({
    description: 'The result of creating an access token.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The bearer token. It is shown only once.',
        ...bearerText,
      }),
      accessToken: t.expose('accessToken', { type: AccessToken, description: 'The record of the token.' }),
    }),
  })

const RevokeAccessTokenInput = builder.inputType('RevokeAccessTokenInput', {
  description: 'The token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the token.' }) }),
})

const RevokeAccessTokenPayload = builder
  .objectRef<{ accessToken: typeof AccessToken.$inferType }>('RevokeAccessTokenPayload')
  .implement({
    description: 'The result of revoking an access token.',
    fields: (t) => ({
      accessToken: t.expose('accessToken', { type: AccessToken, description: 'The token just before it was revoked.' }),
    }),
  })

builder.queryField('accessTokens', (t) =>
  t.field({
    type: AccessTokenConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's access tokens, newest first.",
    extensions: { cost: pageCost() },
    resolve: async (_root, _args, context, info) => {
      const range = pageRangeOf(info)
      const { backward, size, after, before } = range
      const find = () =>
        context.database.write.prisma.accessToken.findMany({
          where: {
            userId: sessionOf(context).viewerId,
            id: { ...(after && { lt: after }), ...(before && { gt: before }) },
          },
          orderBy: { id: backward ? 'asc' : 'desc' },
          take: size + 1,
        })
      return connectionOf(await context.reads.limited(find), range)
    },
  }),
)

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    type: CreateAccessTokenPayload,
    permission: manageAccount,
    description: `Creates an access token for the viewer. Errors: \`INSUFFICIENT_SCOPE\` and \`FORBIDDEN\` for more rights than the token in use has, \`NOT_FOUND\` for the application, \`CONFLICT\` when the viewer already has ${maxTokens} tokens.`,
    extensions: { handlesSecrets: true },
    args: { input: t.arg({ type: CreateAccessTokenInput, required: true, description: 'The token to create.' }) },
    resolve: (_root, { input }, context) => createAccessToken(context.database, sessionOf(context), input),
  }),
  revokeAccessToken: t.field({
    type: RevokeAccessTokenPayload,
    permission: manageAccount,
    description: `Revokes one of the viewer's access tokens. Every server process refuses it within ${staleness / 1_000} seconds. Errors: \`NOT_FOUND\`.`,
    extensions: { revokesTokens: true },
    args: { input: t.arg({ type: RevokeAccessTokenInput, required: true, description: 'The token to revoke.' }) },
    resolve: async (_root, { input: { id } }, context, { schema }) => {
      const { type, uuid } = decodeGlobalId(id, 'id', schema)
      if (type.name !== AccessToken.name) throw invalid({ field: 'id', message: 'must be the id of an access token' })
      return { accessToken: await revokeAccessToken(context.database, sessionOf(context), uuid) }
    },
  }),
}))
