import { createAccessToken, nameBounds, revokeAccessToken } from '../domain/access-tokens.ts'
import { refusedCharacters } from '../domain/text.ts'
import { invalid } from '../errors.ts'
import { pageCost } from '../reads/cost.ts'
import { pageRequest } from '../reads/window.ts'
import { isScope, scopeEnumName, scopes } from '../scopes.ts'
import { builder } from './builder.ts'
import { sessionOf } from './context.ts'
import { asciiOf, textOf } from './cost.ts'
import { decodeGlobalId, encodeGlobalId } from './global-id.ts'
import { connectionOf } from './pages.ts'
import { ScopeEnum } from './scope.ts'

/** Options of a leaf that is the text of a bearer token. */
export const bearerText = asciiOf(51)

/** Bearer tokens, as their owner sees them. */
export const AccessToken = builder.prismaObject('AccessToken', {
  description: 'A bearer token (RFC 6750). Its text is shown once, when it is created.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id, for `node` and `revokeAccessToken`. It is opaque.',
      resolve: ({ id }) => encodeGlobalId('AccessToken', id),
    }),
    name: t.exposeString('name', { description: 'What it is for, 1 to 50 characters.', ...textOf(nameBounds.max) }),
    scopes: t.field({
      type: [ScopeEnum],
      description: 'What it permits.',
      extensions: { bytes: JSON.stringify(scopes.map(scopeEnumName)).length },
      resolve: ({ scopes }) => scopes.filter(isScope),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was issued.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null when never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null when never.',
    }),
  }),
})

const AccessTokenConnection = builder.connectionObject(
  {
    type: AccessToken,
    name: 'AccessTokenConnection',
    description: 'A page of access tokens (Relay Cursor Connections Specification).',
  },
  { name: 'AccessTokenEdge', description: 'One of the access tokens of a page, with its cursor.' },
)

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'A new token, which can grant no more than the one that makes it.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `What it is for, 1 to 50 characters without ${refusedCharacters}.`,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      required: true,
      description: 'What it is to permit: at least one, none that the token in use has not.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it is to end: not after the token in use, which is also the default.',
    }),
    application: t.field({
      type: 'UUID',
      description: "One of the viewer's applications: what is sent with this token is `from` it.",
    }),
  }),
})

const CreateAccessTokenPayload = builder
  .objectRef<{ token: string; accessToken: typeof AccessToken.$inferType }>('CreateAccessTokenPayload')
  .implement({
    description: 'The token that was issued.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The bearer token itself. Shown this once.',
        ...bearerText,
      }),
      accessToken: t.expose('accessToken', { type: AccessToken, description: 'What is kept of it.' }),
    }),
  })

const RevokeAccessTokenInput = builder.inputType('RevokeAccessTokenInput', {
  description: 'Which token to revoke.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the token.' }) }),
})

const RevokeAccessTokenPayload = builder
  .objectRef<{ accessToken: typeof AccessToken.$inferType }>('RevokeAccessTokenPayload')
  .implement({
    description: 'The token that was revoked.',
    fields: (t) => ({ accessToken: t.expose('accessToken', { type: AccessToken, description: 'As it was.' }) }),
  })

builder.queryField('accessTokens', (t) =>
  t.field({
    type: AccessTokenConnection,
    args: t.arg.connectionArgs(),
    description: "The viewer's own tokens, newest first.",
    extensions: { cost: pageCost() },
    resolve: async (_root, args, context) => {
      const { backward, size, after, before } = pageRequest(args)
      const find = () =>
        context.database.read.accessToken.findMany({
          where: {
            userId: sessionOf(context).viewerId,
            id: { ...(after && { lt: after }), ...(before && { gt: before }) },
          },
          orderBy: { id: backward ? 'asc' : 'desc' },
          take: size + 1,
        })
      return connectionOf(await context.reads.inTurn(find), args)
    },
  }),
)

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    type: CreateAccessTokenPayload,
    description:
      'Issues a token to the viewer. Errors: `INSUFFICIENT_SCOPE` and `FORBIDDEN` for more than the token in use has, `NOT_FOUND` for the application, `CONFLICT` when there are 1000 already.',
    args: { input: t.arg({ type: CreateAccessTokenInput, required: true, description: 'What it is to be.' }) },
    resolve: (_root, { input }, context) => createAccessToken(context.database, sessionOf(context), input),
  }),
  revokeAccessToken: t.field({
    type: RevokeAccessTokenPayload,
    description: "Revokes a token of the viewer's: every process refuses it within 10 seconds. Errors: `NOT_FOUND`.",
    args: { input: t.arg({ type: RevokeAccessTokenInput, required: true, description: 'Which token.' }) },
    resolve: async (_root, { input: { id } }, context) => {
      const { type, uuid } = decodeGlobalId(id, 'id')
      if (type !== 'AccessToken') throw invalid({ field: 'id', message: 'is not the id of an access token' })
      const revoking = revokeAccessToken(context.database, sessionOf(context), uuid)
      return { accessToken: await context.sessions.forgetAfter(revoking) }
    },
  }),
}))
