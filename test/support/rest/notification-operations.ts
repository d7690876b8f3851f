import { ids } from '../networks/small-network.ts'
import { cursorOf } from '../reference/pages.ts'
import { bad, notObjects } from './bad-bodies.ts'
import { posts, users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

const secondsOf = (key: string) => Math.floor(Number.parseInt(key.slice(0, 13).replace('-', ''), 16) / 1_000)

const likeNotification = {
  uuid: ids.liked,
  cursor: cursorOf(ids.liked),
  kind: 'like',
  count: 1,
  actors: [users.bob],
  post: posts.adaPost,
  reason: null,
  created_at: secondsOf(ids.liked),
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
        likeNotification,
        {
          ...likeNotification,
          uuid: ids.followed,
          cursor: cursorOf(ids.followed),
          created_at: secondsOf(ids.followed),
          kind: 'follow',
          post: null,
          unread: false,
        },
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
