import { staleness } from '../../engine/auth/viewers.ts'
import { globalId, ownedByViewer } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { uuidIn } from '../../engine/schema/global-id.ts'
import { isOwnToken, scopesOfToken } from '../accounts/token-reads.ts'
import { builder } from '../base/builder.ts'
import { pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith } from '../base/payload.ts'
import { manageAccount } from '../base/permissions.ts'
import { ScopeEnum } from '../base/scope-enum.ts'
import {
  authorizationDays,
  authorizationsOfApplication,
  disconnectApplication,
  maxAuthorizations,
  revokeAuthorization,
} from './authorizations.ts'
import { Application } from './schema.ts'

const Authorization = builder.prismaObject('OauthGrant', {
  name: 'Authorization',
  description:
    'What the viewer has allowed an application to do that asked for it by OAuth, on one device or in one browser. Only its owner sees it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { where: isOwnToken, nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id, for `node` and `revokeAuthorization`.', read: globalId }),
    application: t.relation('application', { type: Application, description: 'The application.' }),
    scopes: t.field({ type: [ScopeEnum], description: 'The scopes that its tokens can have.', read: scopesOfToken }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was given.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When one of its tokens was last used or issued, to the minute; null if never.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: `When it expires: ${authorizationDays} days after its application last got a token.`,
    }),
  }),
})

const AuthorizationConnection = pageOf(Authorization, 'Authorization', 'authorizations')

builder.queryField('authorizations', (t) =>
  t.field({
    type: AuthorizationConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: `What the viewer has allowed applications, newest first: at most ${maxAuthorizations} applications, each with at most ${authorizationsOfApplication} authorizations in use.`,
    read: ownedByViewer(sql`user_id`),
  }),
)

builder.relayMutationField(
  'revokeAuthorization',
  { inputFields: (t) => ({ id: t.id({ required: true, description: 'The global id of the authorization.' }) }) },
  {
    permission: manageAccount,
    description: `Ends one authorization: revokes all tokens that its application got by it. The application stays connected by its others. Every server process refuses them within ${staleness / 1_000} seconds. Errors: \`NOT_FOUND\`.`,
    resolve: (_root, { input }, context, info) => {
      const uuid = uuidIn(input, 'Authorization', info.schema)
      context.changedAccounts.add(context.viewer.id)
      return revokeAuthorization(context.database, context.viewer, uuid, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('authorization', Authorization, 'The authorization just before it was revoked.'),
)

builder.relayMutationField(
  'disconnectApplication',
  {
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the application.' }),
    }),
  },
  {
    permission: manageAccount,
    description: `Disconnects an application everywhere: ends all its authorizations by the viewer. Every server process refuses their tokens within ${staleness / 1_000} seconds. Idempotent.`,
    resolve: async (_root, { input }, { database, viewer, changedAccounts }) => {
      changedAccounts.add(viewer.id)
      return { revokedCount: await disconnectApplication(database, viewer, input.uuid) }
    },
  },
  {
    outputFields: (t) => ({
      revokedCount: t.exposeInt('revokedCount', { description: 'How many authorizations were ended.' }),
    }),
  },
)
