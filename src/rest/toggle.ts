import type { TadaDocumentNode } from 'gql.tada'
import { z } from 'zod'
import { capitalized, type Edge, wordsOf } from '../domain/edges.ts'
import type { TypedDocument } from './graphql.ts'
import { type Definition, eitherKind, operation, toggles } from './operation.ts'
import { samplePost } from './schemas/posts.ts'
import { components, uuid } from './schemas/types.ts'
import { sampleUser } from './schemas/users.ts'

type ToggleDocument = TypedDocument<
  TadaDocumentNode<{ readonly toggled: { readonly action: string } }, { readonly uuid: string }>
>

/** What the toggle of an edge did, in lower case. */
export function actionOf(edge: Edge) {
  const { on, off } = wordsOf(edge)
  return z.enum([on.done, off.done]).describe('The action that was taken.')
}

/** The operation that toggles an edge, such as `POST /post/{uuid}/like`. Its document runs the mutation as `toggled`. */
export function toggle(edge: Edge, document: ToggleDocument): Definition {
  const { verb, noun } = edge
  const { on, off } = wordsOf(edge)
  const [name, all, sample] = noun === 'user' ? ['user', 'user', sampleUser] : ['post', 'post or reply', samplePost]
  const limits = noun === 'user' ? `Users cannot ${verb} themselves, or more than ${edge.most} accounts.` : eitherKind
  return operation({
    route: `POST /${name}/{${noun === 'user' ? 'user' : 'uuid'}}/${verb}`,
    summary: `${capitalized(verb)} or ${off.infinitive} a ${name}`,
    description: `${toggles} ${limits}`,
    ...(noun === 'user' && {
      findsUser: true,
      errors: ['CONFLICT', 'VALIDATION_FAILED', ...(edge.isEndedByBlocks ? (['FORBIDDEN'] as const) : [])],
    }),
    document,
    response: {
      description: `Whether the ${name} was ${on.done} or ${off.done}.`,
      schema: z
        .object({ action: actionOf(edge), uuid: uuid.describe(`The uuid of the ${all}.`) })
        .describe(`The result of ${on.doing} or ${off.doing} a ${all.replace(' or ', ' or a ')}.`)
        .register(components, {
          id: `${capitalized(verb)}Toggle`,
          example: { action: on.done, uuid: sample.uuid },
        }),
      body: ({ toggled }, _session, { uuid }) => ({
        action: toggled.action.toLowerCase(),
        uuid: String(uuid).toLowerCase(),
      }),
    },
  })
}
