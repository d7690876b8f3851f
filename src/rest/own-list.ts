import type { ResultOf, TadaDocumentNode } from 'gql.tada'
import { z } from 'zod'
import { capitalized, type Edge, wordsOf } from '../domain/edges.ts'
import { Refusal } from '../errors.ts'
import type { Fragment, TypedDocument } from './graphql.ts'
import { type Definition, found, operation } from './operation.ts'
import { components, pageOf, uuid } from './schemas/types.ts'
import { sampleViewer } from './schemas/users.ts'
import type { View } from './view.ts'

type ListDocument<Node> = TypedDocument<
  TadaDocumentNode<
    {
      readonly user: {
        readonly uuid: string
        readonly username: string
        readonly list: {
          readonly nodes: readonly ResultOf<Node>[]
          readonly pageInfo: { readonly hasNextPage: boolean }
        } | null
      } | null
    },
    { readonly user: { readonly uuid: string }; readonly first: number; readonly offset: number }
  >
>

/** The list of an edge that only its owner sees, such as `GET /user/{user}/likes/{page}`. Its document reads it as `list`. */
export function ownList<Node extends Fragment, Schema extends z.ZodType>(
  edge: Edge,
  { schema, object, example }: View<Node, Schema>,
  document: ListDocument<Node>,
): Definition {
  const { verb, noun, table } = edge
  const { does } = wordsOf(edge).on
  const [entries, objects, page] =
    noun === 'user'
      ? ['users', 'the accounts that', 'One page']
      : ['posts and replies', 'what', 'One page of posts and replies']
  return operation({
    route: `GET /user/{user}/${table}/{page}`,
    summary: `Get ${objects} the owner of the token ${does}`,
    description: `${page}, newest ${verb} first. Pages past the end are empty. The ${table} of another user are refused with 403.`,
    list: { by: 'number', of: ({ user }) => user?.list },
    document,
    response: {
      description: `The page of ${entries}.`,
      schema: z
        .object({
          user: uuid.describe('The uuid of the user.'),
          [table]: pageOf(schema).describe(`The ${entries}, newest ${verb} first.`),
        })
        .describe(`One page of ${objects} a user ${does}.`)
        .register(components, {
          id: `User${capitalized(table)}`,
          example: { user: sampleViewer.uuid, [table]: [example] },
        }),
      body: (data) => {
        const { uuid, list } = found('user', data.user)
        if (list === null) throw new Refusal('FORBIDDEN', `A user's ${table} are visible to that user only.`)
        return { user: uuid, [table]: list.nodes.map(object) }
      },
    },
    errors: ['FORBIDDEN'],
  })
}
