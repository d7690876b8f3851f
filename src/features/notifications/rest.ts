import { graphql } from '../../engine/rest/graphql.ts'
import { int32 } from '../../engine/rest/openapi/json.ts'
import { descriptionOf } from '../../engine/rest/openapi/resolve.ts'
import { operation } from '../../engine/rest/operation.ts'
import { computed, lowerCase, seconds, view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { shownActors } from './reads.ts'

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
    uuid: 'id',
    cursor: 'cursor',
    kind: ['kind', lowerCase],
    count: 'count',
    actors: ['actors', userView, { maxItems: shownActors }],
    post: ['publication', postView],
    reason: 'reason',
    created_at: ['createdAt', seconds],
    unread: 'isUnread',
  },
)

/** The viewer is always told. */
const unread_count = computed(
  graphql('fragment UnreadCount on User { unreadNotificationCount }'),
  ({ unreadNotificationCount }) => unreadNotificationCount ?? 0,
  { ...int32(0), description: descriptionOf('User', 'unreadNotificationCount') },
)

const pageView = view(
  'Notifications',
  'User',
  'A page of notifications.',
  {
    unreadNotificationCount: 1,
    notifications: { nodes: [sample], pageInfo: { hasNextPage: false, endCursor: sample.cursor } },
  },
  {
    unread_count,
    notifications: [
      'notifications(first: $first, after: $after)',
      { nodes: notificationView },
      { description: 'The notifications, newest first.' },
    ],
  },
)

const unreadView = view(
  'UnreadNotifications',
  'User',
  'How many notifications are left to read.',
  { unreadNotificationCount: 0 },
  { unread_count },
)

/** Get notifications, which the interface does not have. */
export const getNotifications = operation({
  route: 'GET /notifications',
  summary: 'Get the notifications of the viewer',
  description:
    'One page, newest first. Likes of a post, new followers, and requests are one notification until it is read. ' +
    '`Link` has the next page, if there is one.',
  list: { by: 'cursor', of: ({ viewer }) => viewer?.notifications },
  document: graphql(
    `query GetNotifications($first: Int!, $after: String) {
      viewer { ...Notifications }
    }`,
    [pageView.fragment],
  ),
  view: pageView,
  of: ({ viewer }) => viewer,
})

/** Read notifications, which the interface does not have. */
export const readNotifications = operation({
  route: 'POST /notifications/read',
  summary: 'Mark notifications as read',
  description: descriptionOf('Mutation', 'markNotificationsRead'),
  body: { example: { up_to: sample.cursor } },
  document: graphql(
    `mutation ReadNotifications($up_to: String!) {
      markNotificationsRead(input: { upTo: $up_to }) { viewer { ...UnreadNotifications } }
    }`,
    [unreadView.fragment],
  ),
  view: unreadView,
  of: ({ markNotificationsRead }) => markNotificationsRead.viewer,
})
