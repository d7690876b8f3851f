import { staleness } from '../../engine/auth/viewers.ts'
import { longText, prices } from '../../engine/compiler/cost.ts'
import { globalId, version } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { uuidIn } from '../../engine/schema/scalars.ts'
import { isOwnToken, ScopeEnum, scopesOfToken } from '../accounts/token-schema.ts'
import { nameBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount, readApplication } from '../base/permissions.ts'
import { ownedByViewer } from '../visibility/viewer.ts'
import {
  createApplication,
  deleteApplication,
  maxApplications,
  redirectUriBounds,
  redirectUriForm,
  updateApplication,
} from './applications.ts'
import {
  authorizationDays,
  authorizationsOfApplication,
  disconnectApplication,
  maxAuthorizations,
  revokeAuthorization,
} from './authorizations.ts'

const Application = builder.prismaObject('Application', {
  description: 'A client application. Publications that are sent with one of its tokens are `from` it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readApplication },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    name: t.exposeString('name', formed('The name', stored(nameBounds))),
    website: t.expose('website', {
      type: 'URL',
      nullable: true,
      description: 'The website, an http or https URL; null if none.',
      cost: longText,
    }),
    redirectUris: t.exposeStringList('redirectUris', {
      description:
        'Where it may send people back to with an answer (RFC 6749, section 3.1.2), with any port on this ' +
        'machine. Only applications with such a URI, or with `deviceFlow`, can connect to accounts by OAuth.',
      cost: { perRead: prices.longText * redirectUriBounds.count },
      ...withForm(redirectUriForm),
    }),
    deviceFlow: t.exposeBoolean('deviceFlow', {
      description: 'Whether devices without a browser can connect by showing a code (RFC 8628).',
    }),
    version: t.string({
      description: 'An opaque version that changes with the application. Compare versions for equality only.',
      read: version,
    }),
  }),
})

const redirectUris =
  `Where it may send people back to: at most ${redirectUriBounds.count} URIs of at most ` +
  `${redirectUriBounds.length} characters. They are https URLs, http URLs of \`127.0.0.1\`, \`[::1]\` ` +
  'or `localhost`, whose port does not count, or URIs of a scheme of the application.'

const deviceFlow =
  'Whether devices without a browser can connect by showing a code (RFC 8628). Whoever starts such a ' +
  'request gets the access, so leave this off unless you have such devices.'

const ApplicationConnection = pageOf(Application, 'Application', 'applications')

const howToRead = 'read the applications of the viewer'

builder.queryField('applications', (t) =>
  t.field({
    type: ApplicationConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's own applications, newest first.",
    read: ownedByViewer(sql`owner_id`),
  }),
)

builder.relayMutationField(
  'createApplication',
  {
    description: 'The application to register.',
    inputFields: (t) => ({
      name: t.string({
        required: true,
        ...formed('The name', nameBounds),
      }),
      website: t.field({ type: 'URL', description: 'The website: an http or https URL without a user.' }),
      redirectUris: t.stringList({
        description: `${redirectUris} With them, its \`uuid\` is its \`client_id\`.`,
        ...withForm(redirectUriForm),
      }),
      deviceFlow: t.boolean({ description: `${deviceFlow} Off by default.` }),
    }),
  },
  {
    permission: manageAccount,
    description:
      'Registers an application, for which access tokens can then be created. With redirect URIs or the ' +
      'device flow, it can connect to accounts by OAuth. Errors: `CONFLICT` when the viewer already has ' +
      `${maxApplications}.`,
    resolve: async (_root, { input }, context, info) => {
      const id = await createApplication(context.database, context.viewer, input)
      return readPayload(context, info, id, howToRead)
    },
  },
  payloadWith('application', Application, 'The new application.'),
)

builder.relayMutationField(
  'updateApplication',
  {
    description:
      'Changes to an application. Fields that are missing stay unchanged; null removes the website, and leaves the others unchanged.',
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the application.' }),
      name: t.string(formed('The name', nameBounds)),
      website: t.field({
        type: 'URL',
        description: 'The website: an http or https URL without a user; null removes it.',
      }),
      redirectUris: t.stringList({
        description: `${redirectUris} Without any, it connects to accounts by the device flow only.`,
        ...withForm(redirectUriForm),
      }),
      deviceFlow: t.boolean({ description: deviceFlow }),
    }),
  },
  {
    permission: manageAccount,
    description: "Changes one of the viewer's own applications. Errors: `NOT_FOUND`.",
    resolve: async (_root, { input: { uuid, ...changes } }, context, info) => {
      await updateApplication(context.database, context.viewer, uuid, changes)
      return readPayload(context, info, uuid, howToRead)
    },
  },
  payloadWith('application', Application, 'The application after the change.'),
)

builder.relayMutationField(
  'deleteApplication',
  {
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the application.' }),
    }),
  },
  {
    permission: manageAccount,
    description:
      "Deletes one of the viewer's own applications, with all tokens that were issued to it and its " +
      'authorizations by other accounts. What was published with it stays; its `from` becomes null. ' +
      'Errors: `NOT_FOUND`.',
    resolve: (_root, { input: { uuid } }, context, info) => {
      context.changedAccounts.add(context.viewer.id)
      return deleteApplication(context.database, context.viewer, uuid, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('application', Application, 'The application just before it was deleted.'),
)

const Authorization = builder.prismaObject('OauthGrant', {
  name: 'Authorization',
  description:
    'What the viewer has allowed an application that asked by OAuth to do, on one device or in one ' +
    'browser. Only its owner sees it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { where: isOwnToken, nodePermission: manageAccount },
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id, for `node` and `revokeAuthorization`.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
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
    description:
      `What the viewer has allowed applications, newest first: at most ${maxAuthorizations} applications, ` +
      `each with at most ${authorizationsOfApplication} authorizations in use.`,
    read: ownedByViewer(sql`user_id`),
  }),
)

builder.relayMutationField(
  'revokeAuthorization',
  { inputFields: (t) => ({ id: t.id({ required: true, description: 'The global id of the authorization.' }) }) },
  {
    permission: manageAccount,
    staysOpenTo: ['pending'],
    description:
      'Ends one authorization: revokes all tokens that its application got through it. The application ' +
      `stays connected through its others. Every server process refuses them within ${staleness / 1_000} ` +
      'seconds. Errors: `NOT_FOUND`.',
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
    staysOpenTo: ['pending'],
    description:
      'Disconnects an application everywhere: ends all its authorizations by the viewer. Every server ' +
      `process refuses their tokens within ${staleness / 1_000} seconds. Idempotent.`,
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
