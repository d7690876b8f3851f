import { z } from 'zod'
import { blocks } from '../../domain/edges.ts'
import { Refusal } from '../../errors.ts'
import { graphql } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { sampleViewer, userView } from '../schemas/users.ts'
import { toggle } from '../toggle.ts'

/** Block/unblock, which the interface does not have. */
export const toggleBlock = toggle(
  blocks,
  graphql('mutation ToggleBlock($uuid: UUID!) { toggled: toggleBlock(input: { uuid: $uuid }) { action } }'),
)

/** Get user blocks, which the interface does not have. */
export const getUserBlocks = operation({
  route: 'GET /user/{user}/blocks/{page}',
  summary: 'Get the accounts that the owner of the token blocks',
  description:
    'One page, newest block first. Pages past the end are empty. The blocks of another user are refused with 403.',
  pages: { size: 20, list: ({ user }) => user?.blocks ?? undefined },
  document: graphql(
    `query GetUserBlocks($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        blocks(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } }
      }
    }`,
    [userView.fragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({
        user: uuid.describe('The uuid of the user.'),
        blocks: pageOf(userView.schema).describe('The users, newest block first.'),
      })
      .describe('One page of the accounts that a user blocks.')
      .register(components, {
        id: 'UserBlocks',
        example: { user: sampleViewer.uuid, blocks: [userView.example] },
      }),
    body: (data) => {
      const { uuid, blocks } = found('user', data.user)
      if (blocks === null) throw new Refusal('FORBIDDEN', "A user's blocks are visible to that user only.")
      return { user: uuid, blocks: blocks.nodes.map(userView.object) }
    },
  },
  errors: ['FORBIDDEN'],
})
