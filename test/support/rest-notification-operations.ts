import { bad, notObjects } from './bad-bodies.ts'
import { posts, users } from './documented-shapes.ts'
import type { Row } from './rest-operation.ts'
import { ids } from './small-network.ts'

const likeNotification = {
  uuid: ids.liked,
  cursor: 'AZqyxAAAcACAAAAAAAAAkg',
  kind: 'like',
  count: 1,
  actors: [users.bob],
  post: posts.adaPost,
  reason: null,
  created_at: 1763935780,
  unread: true,
}

/** Notifications, which the interface does not have. */
export const notificationOperations: readonly Row[] = [
  {
    name: 'get notifications',
    method: 'GET',
    path: () => '/notifications',
    scopes: ['user.get', 'notification.get', 'post.get', 'reply.get'],
    answer: {
      unread_count: 1,
      notifications: [
        {
          ...likeNotification,
          uuid: ids.followed,
          cursor: 'AZqyxAAAcACAAAAAAAAAkw',
          kind: 'follow',
          count: 2,
          actors: [users.cyd, users.bob],
          post: null,
          unread: false,
        },
        likeNotification,
      ],
    },
  },
  {
    name: 'read notifications',
    method: 'POST',
    path: () => '/notifications/read',
    body: { up_to: likeNotification.cursor },
    scopes: ['notification.get'],
    answer: { unread_count: 0 },
    badBodies: [...bad('up_to', [undefined, null, '', 'now', 5, ['a']], {}), ...notObjects],
  },
]
