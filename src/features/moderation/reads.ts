import type { PageRead } from '../../engine/compiler/field-reads.ts'
import { sql } from '../../engine/compiler/sql.ts'

/** The reports in a state, newest first. */
export const reports: PageRead = {
  types: { state: sql`report_state` },
  keyOf: ({ state }) => ({ state }),
  order: 'desc',
  where: (it, _row, part) => sql`${it}.state = ${part('state')}`,
}

/** The moderation log, newest first. */
export const moderationLog: PageRead = { order: 'desc' }
