import { z } from 'zod'
import { list } from '../../engine/rest/list.ts'
import { seconds, time, uuid } from '../../engine/rest/types.ts'
import { view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { orderOfSimultaneousChanges } from './reads.ts'

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
    PROFILE_EDITED: 'profile_edited',
    ACCOUNT_HIDDEN: 'account_hidden',
    ACCOUNT_SHOWN: 'account_shown',
  })
  .describe(`The kind of the change; \`notified\` is only in the GraphQL API. ${orderOfSimultaneousChanges}`)

const change = 'A change that an account made, with its objects in their current state.'

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
    at: ['at', time, seconds],
    actor: ['actor', userView.schema.nullable(), userView],
    actor_uuid: ['actorUuid', uuid],
    uuid: ['uuid', uuid],
    post: ['publication', postView.schema.nullable(), postView],
    user: ['user', userView.schema.nullable(), userView],
  },
)

/** Get changes, which the interface does not have. */
export const getChanges = list('Changes', {
  route: 'GET /changes',
  summary: 'Get what has changed',
  description:
    "Changes of the home feed, oldest first: what the viewer and the accounts they follow publish, edit and delete; the viewer's likes and profile; follows and blocks by or of the viewer; and accounts that were hidden or shown again. Without the scopes `user.following.get` and `user.followers.get`, follows are left out. `Link` always has the next page: without `after`, this one is empty and the next one begins now, and a page may be empty although more changes follow.",
  by: 'feed',
  field: 'changes',
  filter: { arguments: 'of: { home: true }' },
  items: 'The changes, oldest first.',
  view: { ...changeView, schema: changeView.schema.describe(change) },
  optionalScopes: ['user.following.get', 'user.followers.get'],
  errors: ['CURSOR_EXPIRED'],
})
