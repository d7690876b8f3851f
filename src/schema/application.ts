import { createApplication, nameBounds } from '../domain/applications.ts'
import { refusedCharacters } from '../domain/text.ts'
import { applicationEntity, applicationOfPayload, applicationsOfViewer } from '../reads/applications.ts'
import { globalId, uuid } from '../reads/read.ts'
import { builder } from './builder.ts'
import { type Changed, changed, changedBy, root, value } from './composed.ts'
import { ApplicationConnection } from './connections.ts'
import { sessionOf } from './context.ts'
import { asciiOf, textOf } from './cost.ts'
import type { Connection } from './pages.ts'
import { Application, type ApplicationRow } from './refs.ts'

builder.objectType(Application, {
  description: 'A client program. What is sent with a token of its own is `from` it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: applicationEntity },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Global id, for `node`. It is opaque.', ...value(globalId) }),
    uuid: t.expose('uuid', { type: 'UUID', description: 'Identifier, as the REST interface has it.', ...value(uuid) }),
    name: t.exposeString('name', { description: 'What it is called, 1 to 50 characters.', ...textOf(nameBounds.max) }),
    website: t.expose('website', {
      type: 'URL',
      nullable: true,
      description: 'Where to read of it; http or https.',
      ...asciiOf(2_000),
    }),
  }),
})

const CreateApplicationInput = builder.inputType('CreateApplicationInput', {
  description: 'A new application.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `What it is called, 1 to 50 characters without ${refusedCharacters}.`,
    }),
    website: t.field({ type: 'URL', description: 'Where to read of it; http or https.' }),
  }),
})

const CreateApplicationPayload = builder.objectRef<Changed>('CreateApplicationPayload').implement({
  description: 'The application that was created.',
  fields: (t) => ({
    application: t.field({
      type: Application,
      description: 'As it is now.',
      ...changed<ApplicationRow>(applicationOfPayload, 'application'),
    }),
  }),
})

builder.queryField('applications', (t) =>
  t.field({
    type: ApplicationConnection,
    args: t.arg.connectionArgs(),
    description: "The viewer's own applications, newest first.",
    ...root<Connection<ApplicationRow>>(applicationsOfViewer),
  }),
)

builder.mutationField('createApplication', (t) =>
  t.field({
    type: CreateApplicationPayload,
    description:
      'Registers an application, for which tokens can then be created. Errors: `CONFLICT` when there are 100 already.',
    args: { input: t.arg({ type: CreateApplicationInput, required: true, description: 'What it is.' }) },
    resolve: async (_root, { input: { name, website } }, context, info) => {
      const id = await createApplication(context.database, sessionOf(context), name, website)
      return { changed: await changedBy(context, info, id, 'read the applications of the viewer') }
    },
  }),
)
