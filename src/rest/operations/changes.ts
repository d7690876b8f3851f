import { z } from 'zod'
import { orderOfSimultaneousChanges } from '../../reads/changes.ts'
import { graphql, profileFragment, publicationFragment } from '../graphql.ts'
import { operation } from '../operation.ts'
import { post, postObject, samplePost } from '../schemas/posts.ts'
import { components, pageOf, seconds, time, uuid } from '../schemas/types.ts'
import { sampleUser, user, userObject } from '../schemas/users.ts'

const kind = z
  .enum({
    PUBLISHED: 'published',
    EDITED: 'edited',
    DELETED: 'deleted',
    LIKED: 'liked',
    UNLIKED: 'unliked',
    FOLLOWED: 'followed',
    UNFOLLOWED: 'unfollowed',
  })
  .describe(`What was done. ${orderOfSimultaneousChanges}`)

const change = z
  .object({
    kind,
    at: time.describe('When it was done, in Unix seconds.'),
    actor: user.nullable().describe('Who did it. Null if the account was deleted.'),
    actor_uuid: uuid.describe('The uuid of who did it, even after the deletion of the account.'),
    uuid: uuid.describe('The uuid of the post, reply or followed user, even after its deletion.'),
    post: post.nullable().describe('The post or reply. Null if it was deleted, and for follows.'),
    user: user
      .nullable()
      .describe('The user who was followed or unfollowed. Null if the account was deleted, and for posts.'),
  })
  .describe('A change that somebody made. It has its objects in their current state.')

/** Get changes, which the interface does not have. */
export const getChanges = operation({
  route: 'GET /changes',
  summary: 'Get what has changed',
  description:
    'What the owner of the token and the accounts that they follow published, edited and deleted, what the owner liked, and who follows the owner or is followed by them, oldest first. `Link` always has the next page. Without `after`, the page is empty, and the next one begins now. A page may be empty although more changes follow.',
  feed: ({ changes: { nodes, pageInfo } }) => ({
    isEmpty: nodes.length === 0,
    end: { ...pageInfo, endCursor: pageInfo.endCursor ?? '' },
  }),
  document: graphql(
    `query GetChanges($first: Int!, $after: String) {
      changes(of: { home: true }, first: $first, after: $after) {
        nodes { kind at actor { ...Profile } actorUuid uuid publication { ...Publication } user { ...Profile } }
        pageInfo { endCursor hasNextPage }
      }
    }`,
    [profileFragment, publicationFragment],
  ),
  response: {
    description: 'The page of changes.',
    schema: z
      .object({ changes: pageOf(change).describe('The changes, oldest first.') })
      .describe('A page of changes.')
      .register(components, {
        id: 'Changes',
        example: {
          changes: [
            {
              kind: 'published',
              at: seconds(samplePost.createdAt),
              actor: userObject(sampleUser),
              actor_uuid: sampleUser.uuid,
              uuid: samplePost.uuid,
              post: postObject(samplePost),
              user: null,
            },
          ],
        },
      }),
    body: ({ changes }) => ({
      changes: changes.nodes.map(({ kind: done, at, actor, actorUuid, uuid: id, publication, user: followed }) => ({
        kind: kind.enum[done],
        at: seconds(at),
        actor: actor && userObject(actor),
        actor_uuid: actorUuid,
        uuid: id,
        post: publication && postObject(publication),
        user: followed && userObject(followed),
      })),
    }),
  },
  errors: ['CURSOR_EXPIRED'],
})
