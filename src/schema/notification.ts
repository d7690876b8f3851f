import { markNotificationsRead } from '../domain/notifications.ts'
import { readAnyPublication, readNotifications, readUser } from '../domain/permissions.ts'
import { invalid } from '../errors.ts'
import { longText } from '../reads/cost.ts'
import { decodeCursor } from '../reads/cursor.ts'
import * as reads from '../reads/notifications.ts'
import { objectIn } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import { builder } from './builder.ts'
import { forwardPageArgs, pageOf } from './pages.ts'
import { payloadOf, readPayload } from './payload.ts'
import { Publication } from './publication.ts'
import { User } from './user.ts'

const NotificationKind = builder.enumType('NotificationKind', {
  description: 'What a notification tells of.',
  values: {
    REPLY: { description: 'A reply to a publication of the viewer.' },
    MENTION: { description: 'A publication that mentions the viewer.' },
    LIKE: { description: 'Likes of a publication of the viewer. They are one notification until it is read.' },
    FOLLOW: { description: 'New followers. They are one notification until it is read.' },
    REMOVED: { description: 'A publication of the viewer was removed by moderators.' },
  } as const,
})

const Notification = builder.prismaObject('Notification', {
  description: 'What others did that concerns the viewer. It disappears when that is taken back.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier (UUID).' }),
    cursor: t.string({
      description: 'Opaque position, for `after` and `upTo`. It moves when a like or a follower joins.',
      read: reads.cursorOfNotification,
    }),
    kind: t.expose('kind', { type: NotificationKind, description: 'What it tells of.' }),
    count: t.exposeInt('count', { description: 'How many likes or followers there are; 1 for other kinds.' }),
    actors: t.field({
      type: [User],
      permission: readUser,
      description: `Who did it, the latest ${reads.shownActors}, latest first; empty for \`REMOVED\`.`,
      read: reads.actors,
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      permission: readAnyPublication,
      description: 'The reply, what mentions the viewer, or what is liked; null for `FOLLOW` and `REMOVED`.',
      read: objectIn(sql`subject_id`),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the publication was removed; null for other kinds, and if no reason was given.',
      cost: longText,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was done, of several the latest.',
      read: reads.timeOfNotification,
    }),
    isUnread: t.exposeBoolean('unread', { description: 'Whether the viewer has not read it.' }),
  }),
})

builder.prismaObjectFields(User, (t) => ({
  notifications: t.field({
    type: pageOf(Notification, 'Notification', 'notifications'),
    nullable: true,
    permission: readNotifications,
    args: {
      kinds: t.arg({ type: [NotificationKind], description: 'Only notifications of these kinds; null for all.' }),
      ...forwardPageArgs(t.arg, 'Only notifications after this cursor, which are older.'),
    },
    description: 'Notifications of the viewer, newest first; null for anybody else.',
    read: reads.notifications,
  }),
  unreadNotificationCount: t.int({
    nullable: true,
    permission: readNotifications,
    description: 'Number of notifications that the viewer has not read; null for anybody else.',
    read: reads.unreadNotificationCount,
  }),
}))

const MarkNotificationsReadInput = builder.inputType('MarkNotificationsReadInput', {
  description: 'What the viewer has read.',
  fields: (t) => ({
    upTo: t.string({
      required: true,
      description: 'Cursor of the newest notification that was read: it and all older ones are.',
    }),
  }),
})

builder.mutationField('markNotificationsRead', (t) =>
  t.field({
    type: payloadOf('MarkNotificationsReadPayload', 'The result of reading notifications.', 'viewer', {
      type: User,
      description: 'The viewer after the change.',
    }),
    permission: readNotifications,
    description:
      'Marks notifications of the viewer as read. Those with later likes or followers stay unread. Idempotent: no notification becomes unread.',
    args: { input: t.arg({ type: MarkNotificationsReadInput, required: true, description: 'What was read.' }) },
    resolve: async (_root, { input }, context, info) => {
      const upTo = decodeCursor(input.upTo)
      if (upTo === undefined) throw invalid({ field: 'upTo', message: 'is not a cursor of notifications' })
      await markNotificationsRead(context.database, context.session, upTo)
      return readPayload(context, info, context.session.viewerId, 'read the notifications')
    },
  }),
)
