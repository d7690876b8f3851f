import { longText, prices } from '../../engine/compiler/cost.ts'
import { globalId, ownedByViewer, version } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { builder } from '../base/builder.ts'
import { nameRule } from '../base/input-rules.ts'
import { pageOf } from '../base/pages.ts'
import { payloadBefore, payloadWith, readPayload } from '../base/payload.ts'
import { manageAccount, readApplication } from '../base/permissions.ts'
import { refusedInNames } from '../base/text-rules.ts'
import {
  createApplication,
  deleteApplication,
  maxApplications,
  redirectUriBounds,
  updateApplication,
} from './applications.ts'

export const Application = builder.prismaObject('Application', {
  description: 'A client application. Publications that are sent with one of its tokens are `from` it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readApplication },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    name: t.exposeString('name', { description: 'The name: 1 to 50 characters.' }),
    website: t.expose('website', {
      type: 'URL',
      nullable: true,
      description: 'The website, an http or https URL; null if none.',
      cost: longText,
    }),
    redirectUris: t.exposeStringList('redirectUris', {
      description:
        'Where it may send people back to with an answer (RFC 6749, section 3.1.2), with any port on this machine. Only applications with such a URI, or with `deviceFlow`, can connect to accounts by OAuth.',
      cost: { each: prices.longText * redirectUriBounds.count },
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

const redirectUris = `Where it may send people back to: at most ${redirectUriBounds.count} URIs of at most ${redirectUriBounds.length} characters. They are https URLs, http URLs of \`127.0.0.1\`, \`[::1]\` or \`localhost\`, whose port does not count, or URIs of a scheme of the application.`

const deviceFlow =
  'Whether devices without a browser can connect by showing a code (RFC 8628). Whoever starts such a request gets the access, so leave it off if you have no such devices.'

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
        description: `The name: 1 to 50 characters without ${refusedInNames}.`,
        ...nameRule,
      }),
      website: t.field({ type: 'URL', description: 'The website: an http or https URL without a user.' }),
      redirectUris: t.stringList({ description: `${redirectUris} With them, its \`uuid\` is its \`client_id\`.` }),
      deviceFlow: t.boolean({ description: `${deviceFlow} Off by default.` }),
    }),
  },
  {
    permission: manageAccount,
    description: `Registers an application, for which access tokens can then be created. With redirect URIs or the device flow, it can connect to accounts by OAuth. Errors: \`CONFLICT\` when the viewer already has ${maxApplications}.`,
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
    description: 'Changes to an application. Fields that are null or missing stay unchanged.',
    inputFields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: 'The uuid of the application.' }),
      name: t.string({ description: `The name: 1 to 50 characters without ${refusedInNames}.`, ...nameRule }),
      website: t.field({ type: 'URL', description: 'The website: an http or https URL without a user.' }),
      redirectUris: t.stringList({
        description: `${redirectUris} Without any, it connects to accounts by the device flow only.`,
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
      "Deletes one of the viewer's own applications, with all tokens that were issued to it and its authorizations by other accounts. What was published with it stays, and is `from` nothing. Errors: `NOT_FOUND`.",
    resolve: (_root, { input: { uuid } }, context, info) => {
      context.changedAccounts.add(context.viewer.id)
      return deleteApplication(context.database, context.viewer, uuid, payloadBefore(context, info, uuid))
    },
  },
  payloadWith('application', Application, 'The application just before it was deleted.'),
)
