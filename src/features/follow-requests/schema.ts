import type { PageRead, ValueRead } from '../../engine/compiler/field-reads.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'
import { User, UserConnection } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { followUser } from '../base/permissions.ts'
import { isViewer, viewer } from '../visibility/viewer.ts'

/** Whether one account asks to follow another one. */
const asks = (requester: Sql, requested: Sql) =>
  sql`exists (select from follow_requests q where q.requester_id = ${requester} and q.requested_id = ${requested})`

/** Whether the viewer asks to follow the row, an account. */
const viewerHasRequested: ValueRead = { value: (row) => asks(viewer.id, sql`${row}.id`), cost: 0.2 }

/** Whether the row, an account, asks to follow the viewer. */
const hasRequestedViewer: ValueRead = { value: (row) => asks(sql`${row}.id`, viewer.id), cost: 0.2 }

/** The accounts at one end of the requests whose other end is the viewer, most recent request first; null for any other row. */
const ownRequests = (from: string, to: string): PageRead => ({
  order: 'desc',
  place: 'everywhere',
  isVisible: isViewer,
  join: { table: sql`follow_requests`, from: sql.identifier(from), to: sql.identifier(to), isWhole: true },
})

builder.prismaObjectFields(User, (t) => ({
  viewerHasRequested: t.boolean({
    description: 'Whether the viewer asks to follow this account, which has not answered.',
    read: viewerHasRequested,
  }),
  hasRequestedViewer: t.boolean({
    description: 'Whether this account asks to follow the viewer, who has not answered.',
    read: hasRequestedViewer,
  }),
  followRequests: t.field({
    type: UserConnection,
    nullable: true,
    permission: followUser,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that ask to follow the viewer, most recent request first; null for anybody else.',
    read: ownRequests('requested_id', 'requester_id'),
  }),
  sentFollowRequests: t.field({
    type: UserConnection,
    nullable: true,
    permission: followUser,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that the viewer asks to follow, most recent request first; null for anybody else.',
    read: ownRequests('requester_id', 'requested_id'),
  }),
}))
