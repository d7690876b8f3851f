import { z } from 'zod'
import { orderOfSimultaneousChanges } from '../../reads/changes.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { postView, samplePost } from '../schemas/posts.ts'
import { components, pageOf, seconds, time, uuid } from '../schemas/types.ts'
import { sampleUser, userView } from '../schemas/users.ts'
import { view } from '../view.ts'

const kind = z
  .enum({
    PUBLISHED: 'published',
    EDITED: 'edited',
    DELETED: 'deleted',
    LIKED: 'liked',
    UNLIKED: 'unliked',
    FOLLOWED: 'followed',
    UNFOLLOWED: 'unfollowed',
    BLOCKED: 'blocked',
    UNBLOCKED: 'unblocked',
    NOTIFIED: 'notified',
  })
  .describe(`What was done; \`notified\` is only in the GraphQL API. ${orderOfSimultaneousChanges}`)

const changeView = view(
  'Change',
  'Change',
  undefined,
  {
    kind: 'PUBLISHED',
    at: samplePost.createdAt,
    actor: sampleUser,
    actorUuid: sampleUser.uuid,
    uuid: samplePost.uuid,
    publication: samplePost,
    user: null,
  },
  {
    kind: ['kind', kind, (done: keyof typeof kind.enum) => kind.enum[done]],
    at: ['at', time.describe('When it was done, in Unix seconds.'), seconds],
    actor: ['actor', userView.schema.nullable().describe('Who did it. Null if the account was deleted.'), userView],
    actor_uuid: ['actorUuid', uuid.describe('The uuid of who did it, even after the deletion of the account.')],
    uuid: [
      'uuid',
      uuid.describe('The uuid of the post or reply, or of the followed or blocked user, even after its deletion.'),
    ],
    post: [
      'publication',
      postView.schema.nullable().describe('The post or reply. Null if it was deleted, and for follows and blocks.'),
      postView,
    ],
    user: [
      'user',
      userView.schema
        .nullable()
        .describe('The user who was followed or blocked. Null if the account was deleted, and for posts.'),
      userView,
    ],
  },
)

/** Get changes, which the interface does not have. */
export const getChanges = operation({
  route: 'GET /changes',
  summary: 'Get what has changed',
  description:
    'What the owner of the token and the accounts that they follow published, edited and deleted, what the owner liked, and who follows or blocks the owner or is followed or blocked by them, oldest first. After a block, or the end of one, read lists again. `Link` always has the next page. Without `after`, the page is empty, and the next one begins now. A page may be empty although more changes follow.',
  list: { by: 'feed', of: ({ changes }) => changes },
  document: graphql(
    `query GetChanges($first: Int!, $after: String) {
      changes(of: { home: true }, first: $first, after: $after) {
        nodes { ...Change } pageInfo { endCursor hasNextPage }
      }
    }`,
    [changeView.fragment],
  ),
  response: {
    description: 'The page of changes.',
    schema: z
      .object({
        changes: pageOf(
          changeView.schema.describe('A change that somebody made. It has its objects in their current state.'),
        ).describe('The changes, oldest first.'),
      })
      .describe('A page of changes.')
      .register(components, { id: 'Changes', example: { changes: [changeView.example] } }),
    body: ({ changes }) => ({ changes: changes.nodes.map(changeView.object) }),
  },
  errors: ['CURSOR_EXPIRED'],
})
