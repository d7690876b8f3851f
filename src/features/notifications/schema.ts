import { longText } from '../../engine/compiler/cost.ts'
import { decodeCursor } from '../../engine/compiler/cursor.ts'
import { objectIn } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { invalid } from '../../engine/errors.ts'
import { User } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { forwardPageArgs, pageOf } from '../base/pages.ts'
import { payloadWith, readPayload } from '../base/payload.ts'
import { readAnyPublication, readNotifications, readUser } from '../base/permissions.ts'
import { Publication } from '../posts/schema.ts'
import { markNotificationsRead } from './mark-read.ts'
import * as reads from './reads.ts'

const NotificationKind = builder.enumType('NotificationKind', {
  description: 'The kind of a notification.',
  values: {
    REPLY: { description: 'A reply to a publication of the viewer.' },
    MENTION: { description: 'A publication that mentions the viewer.' },
    LIKE: {
      description: 'Likes of a publication of the viewer. On a page, they are one notification until it is read.',
    },
    FOLLOW: { description: 'New followers. On a page, they are one notification until it is read.' },
    REMOVED: { description: 'A publication of the viewer was removed by moderators.' },
  } as const,
})

const Notification = builder.prismaObject('Notification', {
  description:
    'A notification of the viewer about what others did. It disappears when that is taken back, and what is done again notifies again.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The uuid of its latest event.' }),
    cursor: t.string({
      description: 'The opaque position of its latest event, for further pages and for marking as read.',
      read: reads.cursorOfNotification,
    }),
    kind: t.expose('kind', { type: NotificationKind, description: 'The kind of the notification.' }),
    count: t.int({
      description: 'The number of likes or new followers that its page found; 1 for other kinds.',
      read: reads.countOfNotification,
    }),
    actors: t.field({
      type: [User],
      permission: readUser,
      description: `The accounts that did it, at most ${reads.shownActors}, latest first; empty for removals.`,
      read: reads.actors,
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      permission: readAnyPublication,
      description: 'The publication that replies, mentions the viewer or is liked; null for follows and removals.',
      read: objectIn(sql`subject_id`),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason of the removal; null for other kinds, and if none was given.',
      cost: longText,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When its latest event happened.',
      read: reads.timeOfNotification,
    }),
    isUnread: t.boolean({ description: 'Whether the viewer has not read it yet.', read: reads.isUnread }),
  }),
})

builder.prismaObjectFields(User, (t) => ({
  notifications: t.field({
    type: pageOf(Notification, 'Notification', 'notifications'),
    nullable: true,
    permission: readNotifications,
    args: {
      kinds: t.arg({ type: [NotificationKind], description: 'Only notifications of these kinds; null selects all.' }),
      ...forwardPageArgs(t.arg, 'Only notifications after this cursor, which are older.'),
    },
    description:
      'Notifications of the viewer, newest first; null for anybody else. A page looks at 10 events for each notification that it may have, at most 1,000, and may be short: the next one can have more likes of the same publication and more followers.',
    read: reads.notifications,
  }),
  unreadNotificationCount: t.int({
    nullable: true,
    permission: readNotifications,
    description: `The number of notifications that the viewer has not read, among the ${reads.mostUnread} latest events: ${reads.mostUnread} means as many or more. Null for anybody else.`,
    read: reads.unreadNotificationCount,
  }),
}))

builder.relayMutationField(
  'markNotificationsRead',
  {
    inputFields: (t) => ({
      upTo: t.string({
        required: true,
        description: 'The cursor of the newest notification that was read: it and all older ones are.',
      }),
    }),
  },
  {
    permission: readNotifications,
    description:
      "Marks the viewer's notifications up to a cursor as read; none becomes unread. Later likes and followers stay unread, except those of the same milliseconds. Idempotent.",
    resolve: async (_root, { input }, context, info) => {
      const upTo = decodeCursor(input.upTo)
      if (upTo === undefined) throw invalid({ field: 'upTo', message: 'is not a cursor of notifications' })
      await markNotificationsRead(context.database, context.viewer, upTo)
      return readPayload(context, info, context.viewer.id, 'read the notifications')
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.'),
)
