import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'

/** Marks the notifications of the viewer as read up to a place in their list, but not those that are still to come. */
export async function markNotificationsRead({ write }: Access, viewer: Viewer, upTo: string): Promise<void> {
  await reportUnknownOutcome(
    'do it again: it is idempotent',
    () => write.prisma.$executeRaw`
      with marked as (
        insert into notification_markers as marker (user_id, up_to) values (${viewer.id}::uuid, least(${upTo}::uuid, notification_key()))
        on conflict (user_id) do update set up_to = excluded.up_to where marker.up_to < excluded.up_to
        returning user_id)
      insert into changes (kind, actor_id, recipient_id) select 'NOTIFIED', user_id, user_id from marked`,
  )
}
