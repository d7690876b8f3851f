import type { Viewer } from '../../engine/auth/viewers.ts'
import { longText } from '../../engine/compiler/cost.ts'
import { objectIn } from '../../engine/compiler/field-reads.ts'
import { decodeCursor } from '../../engine/compiler/page-range.ts'
import { sql } from '../../engine/compiler/sql.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { InvalidToken, invalid } from '../../engine/errors.ts'
import { uuidForm } from '../../engine/text/uuids.ts'
import { User } from '../accounts/schema.ts'
import { reasonBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { stored, withForm } from '../base/input-rules.ts'
import { notificationKinds } from '../base/kinds.ts'
import { cursorForm, forwardPageArgs, pageOf } from '../base/pages.ts'
import { payloadWith, readPayload } from '../base/payload.ts'
import { readAnyPublication, readNotifications, readUser } from '../base/permissions.ts'
import { Publication } from '../posts/schema.ts'
import * as reads from './reads.ts'

/** Marks the notifications of the viewer as read up to a place in their list, but not those that are still to come. */
async function markNotificationsRead({ write }: Access, viewer: Viewer, upTo: string): Promise<void> {
  const owners = await reportUnknownOutcome(
    'do it again: it is idempotent',
    () => write.prisma.$queryRaw<{ readonly id: string }[]>`
      with owner as (select id from users where id = ${viewer.id}::uuid for key share),
      marked as (
        insert into notification_markers as marker (user_id, up_to)
        select id, least(${upTo}::uuid, notification_key()) from owner
        on conflict (user_id) do update set up_to = excluded.up_to where marker.up_to < excluded.up_to
        returning user_id),
      noted as (insert into changes (kind, actor_id, recipient_id) select 'NOTIFIED', user_id, user_id from marked)
      select id from owner`,
  )
  if (owners.length === 0) throw new InvalidToken()
}

const NotificationKind = builder.enumType('NotificationKind', {
  description: 'The kind of a notification.',
  values: Object.fromEntries(notificationKinds),
})

const Notification = builder.prismaObject('Notification', {
  description:
    'A notification of the viewer about what others did. It disappears when they take that back, and when ' +
    'the viewer answers a request; doing it again notifies again.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The uuid of its latest event.', ...withForm(uuidForm) }),
    cursor: t.string({
      description: 'The opaque position of its latest event, for further pages and for marking as read.',
      ...withForm(cursorForm),
      read: reads.cursorOfNotification,
    }),
    kind: t.expose('kind', { type: NotificationKind, description: 'The kind of the notification.' }),
    count: t.int({
      description: 'The number of likes, reposts, new followers or requests that its page found; 1 for other kinds.',
      read: reads.countOfNotification,
    }),
    actors: t.field({
      type: [User],
      permission: readUser,
      description: `The accounts that did it, at most ${reads.shownActors}, latest first; empty for what moderators did.`,
      read: reads.actors,
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      permission: readAnyPublication,
      description:
        'The publication that replies, quotes, mentions the viewer, is liked or reposted, or was given a warning; null for follows, ' +
        'requests and removals.',
      read: objectIn(sql`subject_id`),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The reason of moderators; null for other kinds, and if none was given.',
      ...withForm(stored(reasonBounds)),
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
      'Notifications of the viewer, newest first; null for anybody else. A page looks at ' +
      `${reads.scan.perNode} events for each notification that it may have, at most ` +
      `${reads.scan.max.toLocaleString('en')}, so it may be short, and the next page can have ` +
      'more likes of the same publication and more followers.',
    read: reads.notifications,
  }),
  unreadNotificationCount: t.int({
    nullable: true,
    permission: readNotifications,
    description:
      `The number of notifications that the viewer has not read, among the ${reads.mostUnread} latest ` +
      `events: ${reads.mostUnread} means as many or more. Null for anybody else.`,
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
        ...withForm(cursorForm),
      }),
    }),
  },
  {
    permission: readNotifications,
    description:
      "Marks the viewer's notifications up to a cursor as read; none becomes unread. Later likes and " +
      'followers stay unread, except those of the same milliseconds. Idempotent.',
    resolve: async (_root, { input }, context, info) => {
      const upTo = decodeCursor(input.upTo)
      if (upTo === undefined) throw invalid({ field: 'upTo', message: 'is not a cursor of notifications' })
      await markNotificationsRead(context.database, context.viewer, upTo)
      return readPayload(context, info, context.viewer.id, 'read the notifications')
    },
  },
  payloadWith('viewer', User, 'The viewer after the change.'),
)
