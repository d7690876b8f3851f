import { createApplication, maxApplications } from '../domain/applications.ts'
import { manageAccount, readApplication } from '../domain/permissions.ts'
import { refusedInNames } from '../domain/text.ts'
import { longText } from '../reads/cost.ts'
import { globalId, ownedByViewer, version } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import { builder } from './builder.ts'
import { pageOf } from './pages.ts'
import { payloadOf, readPayload } from './payload.ts'

const Application = builder.prismaObject('Application', {
  description: 'A client application. Publications that are sent with one of its tokens are `from` it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readApplication },
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id, for `node`.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'Identifier, the same as in the REST interface.' }),
    name: t.exposeString('name', { description: 'Name, 1 to 50 characters.' }),
    website: t.expose('website', {
      type: 'URL',
      nullable: true,
      description: 'Website, an http or https URL.',
      cost: longText,
    }),
    version: t.string({
      description: 'Changes with every change of the application. Compare versions for equality only.',
      read: version,
    }),
  }),
})

const CreateApplicationInput = builder.inputType('CreateApplicationInput', {
  description: 'The application to register.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `Name, 1 to 50 characters without ${refusedInNames}.`,
    }),
    website: t.field({ type: 'URL', description: 'Website, an http or https URL without a user.' }),
  }),
})

const CreateApplicationPayload = payloadOf(
  'CreateApplicationPayload',
  'The result of registering an application.',
  'application',
  { type: Application, description: 'The new application.' },
)

const ApplicationConnection = pageOf(Application, 'Application', 'applications')

builder.queryField('applications', (t) =>
  t.field({
    type: ApplicationConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's own applications, newest first.",
    read: ownedByViewer(sql`owner_id`),
  }),
)

builder.mutationField('createApplication', (t) =>
  t.field({
    type: CreateApplicationPayload,
    permission: manageAccount,
    description: `Registers an application, for which access tokens can then be created. Errors: \`CONFLICT\` when the viewer already has ${maxApplications}.`,
    args: {
      input: t.arg({ type: CreateApplicationInput, required: true, description: 'The application to register.' }),
    },
    resolve: async (_root, { input: { name, website } }, context, info) => {
      const id = await createApplication(context.database, context.session, name, website)
      return readPayload(context, info, id, 'read the applications of the viewer')
    },
  }),
)
