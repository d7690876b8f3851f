import { list } from '../../engine/rest/list.ts'
import { lowerCase, seconds, view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { orderOfSimultaneousChanges } from './reads.ts'

const changeView = view(
  'Change',
  'Change',
  'A change that an account made, with its objects in their current state.',
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
    kind: [
      'kind',
      lowerCase,
      {
        description: `The kind of the change; \`notified\` is only in the GraphQL API. ${orderOfSimultaneousChanges}`,
      },
    ],
    at: ['at', seconds],
    actor: ['actor', userView],
    actor_uuid: 'actorUuid',
    uuid: 'uuid',
    post: ['publication', postView],
    user: ['user', userView],
  },
)

/** Get changes, which the interface does not have. */
export const getChanges = list('Changes', {
  route: 'GET /changes',
  summary: 'Get what has changed',
  description:
    'Changes of the home feed, oldest first: what the viewer and the accounts they follow publish, edit, ' +
    "delete and repost; the viewer's likes and profile; follows and blocks by or of the viewer; and accounts " +
    'that were hidden, shown again or made private. Without the scopes `user.following.get` and `user.followers.get`, ' +
    'follows are left out. `Link` always has the next page: without `after`, this one is empty and the ' +
    'next one begins now, and a page may be empty although more changes follow.',
  by: 'feed',
  field: 'changes',
  filter: { arguments: 'of: { home: true }' },
  items: 'The changes, oldest first.',
  view: changeView,
  optionalScopes: ['user.following.get', 'user.followers.get'],
  errors: ['CURSOR_EXPIRED'],
})
