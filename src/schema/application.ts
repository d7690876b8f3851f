import { createApplication, maxApplications, nameBounds } from '../domain/applications.ts'
import { manageAccount, readApplication } from '../domain/permissions.ts'
import { refusedCharacters } from '../domain/text.ts'
import { applicationEntity, applicationOfPayload, applicationsOfViewer } from '../reads/applications.ts'
import { globalId, uuid } from '../reads/read.ts'
import { builder } from './builder.ts'
import { type MutationPayload, payloadObject, readPayload, root, value, versionOf } from './compiled.ts'
import { ApplicationConnection } from './connections.ts'
import { sessionOf } from './context.ts'
import { asciiOf, textOf } from './cost.ts'
import type { Connection } from './pages.ts'
import { Application, type ApplicationRow } from './refs.ts'

builder.objectType(Application, {
  description: 'A client application. Publications that are sent with one of its tokens are `from` it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: applicationEntity, nodePermission: readApplication },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque global id, for `node`.', ...value(globalId) }),
    uuid: t.expose('uuid', {
      type: 'UUID',
      description: 'Identifier, the same as in the REST interface.',
      ...value(uuid),
    }),
    name: t.exposeString('name', { description: 'Name, 1 to 50 characters.', ...textOf(nameBounds.max) }),
    website: t.expose('website', {
      type: 'URL',
      nullable: true,
      description: 'Website, an http or https URL.',
      ...asciiOf(2_000),
    }),
    version: t.exposeString('version', {
      description: 'Changes with every change of the application. Compare versions for equality only.',
      ...versionOf,
    }),
  }),
})

const CreateApplicationInput = builder.inputType('CreateApplicationInput', {
  description: 'The application to register.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `Name, 1 to 50 characters without ${refusedCharacters}.`,
    }),
    website: t.field({ type: 'URL', description: 'Website, an http or https URL.' }),
  }),
})

const CreateApplicationPayload = builder.objectRef<MutationPayload>('CreateApplicationPayload').implement({
  description: 'The result of registering an application.',
  fields: (t) => ({
    application: t.field({
      type: Application,
      description: 'The new application.',
      ...payloadObject<ApplicationRow>(applicationOfPayload, 'application'),
    }),
  }),
})

builder.queryField('applications', (t) =>
  t.field({
    type: ApplicationConnection,
    permission: manageAccount,
    args: t.arg.connectionArgs(),
    description: "The viewer's own applications, newest first.",
    ...root<Connection<ApplicationRow>>(applicationsOfViewer),
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
      const id = await createApplication(context.database, sessionOf(context), name, website)
      return { selected: await readPayload(context, info, id, 'read the applications of the viewer') }
    },
  }),
)
