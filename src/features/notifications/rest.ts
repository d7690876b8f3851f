import { z } from 'zod'
import { bodyOf } from '../../engine/rest/bodies.ts'
import { descriptionOf } from '../../engine/rest/descriptions.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { component, count, cursor, pageOf, seconds, text, time, uuid } from '../../engine/rest/types.ts'
import { view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'
import { reasonBounds } from '../base/bounds.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { shownActors } from './reads.ts'

const kind = z.enum({ REPLY: 'reply', MENTION: 'mention', LIKE: 'like', FOLLOW: 'follow', REMOVED: 'removed' })

const sample = {
  id: '019ab2c4-c263-7b8f-8e55-a06172839405',
  cursor: 'AZqyxMJje4-OVaBhcoOUBQ',
  kind: 'LIKE' as const,
  count: 2,
  actors: [sampleUser],
  publication: samplePost,
  reason: null,
  createdAt: '2026-07-27T11:00:00.000Z',
  isUnread: true,
}

const notificationView = view(
  'Notification',
  'Notification',
  'A notification of the viewer about what others did.',
  sample,
  {
    uuid: ['id', uuid],
    cursor: ['cursor', cursor],
    kind: ['kind', kind, (it: keyof typeof kind.enum) => kind.enum[it]],
    count: ['count', count],
    actors: ['actors', z.array(userView.schema).max(shownActors), userView],
    post: ['publication', postView.schema.nullable(), postView],
    reason: ['reason', text(reasonBounds).nullable()],
    created_at: ['createdAt', time, seconds],
    unread: ['isUnread', z.boolean()],
  },
)

const unreadCount = count.describe(descriptionOf('User', 'unreadNotificationCount'))

/** Get notifications, which the interface does not have. */
export const getNotifications = operation({
  route: 'GET /notifications',
  summary: 'Get the notifications of the viewer',
  description:
    'One page, newest first. Likes of a post, and new followers, are one notification until it is read. `Link` has the next page, if there is one.',
  list: { by: 'cursor', of: ({ viewer }) => viewer?.notifications },
  document: graphql(
    `query GetNotifications($first: Int!, $after: String) {
      viewer {
        unreadNotificationCount
        notifications(first: $first, after: $after) { nodes { ...Notification } pageInfo { endCursor hasNextPage } }
      }
    }`,
    [notificationView.fragment],
  ),
  response: {
    schema: component(
      'Notifications',
      'A page of notifications.',
      {
        unread_count: unreadCount,
        notifications: pageOf(notificationView.schema).describe('The notifications, newest first.'),
      },
      { unread_count: 1, notifications: [notificationView.example] },
    ),
    body: ({ viewer }) => ({
      unread_count: viewer?.unreadNotificationCount ?? 0,
      notifications: viewer?.notifications?.nodes.map(notificationView.object) ?? [],
    }),
  },
})

/** Read notifications, which the interface does not have. */
export const readNotifications = operation({
  route: 'POST /notifications/read',
  summary: 'Mark notifications as read',
  description: descriptionOf('Mutation', 'markNotificationsRead'),
  body: bodyOf('ReadNotificationsBody', 'MarkNotificationsReadInput', { up_to: cursor }, { up_to: sample.cursor }),
  document: graphql(
    `mutation ReadNotifications($up_to: String!) {
      markNotificationsRead(input: { upTo: $up_to }) { viewer { unreadNotificationCount } }
    }`,
  ),
  response: {
    schema: component(
      'UnreadNotifications',
      'How many notifications are left to read.',
      { unread_count: unreadCount },
      { unread_count: 0 },
    ),
    body: ({ markNotificationsRead: { viewer } }) => ({ unread_count: viewer.unreadNotificationCount ?? 0 }),
  },
})
