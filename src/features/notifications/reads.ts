import type { ListRead, PageRead, Rules, ValueRead } from '../../engine/compiler/field-reads.ts'
import { cursorOf, timeOf } from '../../engine/compiler/json.ts'
import { largest, smallest } from '../../engine/compiler/page-clauses.ts'
import { ofRow, visible } from '../../engine/compiler/rows.ts'
import { all, comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import { groupedKinds } from '../base/kinds.ts'
import { rulesOfAll } from '../visibility/rules.ts'
import { isViewer, viewer } from '../visibility/viewer.ts'

/** How many of the accounts that a notification tells of are shown. */
export const shownActors = 5

/** How many notifications are counted as unread: if there are more, this is their number. */
export const mostUnread = 100

/** How many events a page looks at for each notification that it may have, how many at most, and what looking at one costs; see `Cost`. */
export const scan = { perNode: 10, max: 1_000, cost: 1 } as const

/** What planning the lists of events costs, each time that a page reads them; see `Cost`. */
const plannedEvents = 400

const n = sql`n`

/** The notice key up to which the viewer has read. */
const marker = sql`coalesce((select m.up_to from notification_markers m where m.user_id = ${viewer.id}), ${smallest})`

const grouped = sql.join(groupedKinds.map(sql.literal), comma)

/** Likes of one publication, follows, and requests are one notification until they are read. */
const groupOf = (event: Sql) =>
  sql`case when ${event}.kind in (${grouped}) then ${event}.subject_id else ${event}.id end`

/** Whether the viewer may see an event. Likes of a deleted publication may not be erased yet. */
const isShown = (rules: Rules) =>
  all(
    sql`coalesce((select false from publication_deletions e where e.publication_id = n.subject_id), true)`,
    visible(rules, 'Notification', 'lists', ofRow(n)),
  )

/**
 * What the viewer is told, newest first; null for any other user. A page groups the events that it looks at, and ends with the last
 * of them.
 */
export const notifications: PageRead = {
  order: 'desc',
  startCost: plannedEvents,
  perRow: scan.perNode * scan.cost,
  types: { kinds: sql`text` },
  keyOf: ({ kinds }) => ({ kinds: Array.isArray(kinds) ? `{${[...new Set(kinds)].join()}}` : null }),
  isVisible: isViewer,
  end: sql`end_id`,
  found: ({ after, size, limit }, rules, part) => {
    const scanLimit = sql`least(greatest(${size}, 1) * ${scan.perNode}, ${scan.max})`
    const below = after ? sql`coalesce(${after}, ${largest})` : largest
    return sql`
      with scanned as materialized (
        select n.* from notifications_of(${viewer.id}, ${viewer.notifyAfter}, ${below},
          ${part('kinds')}::notification_kind[], ${scanLimit}) n),
      seen as (
        select n.*, ${groupOf(n)} as group_id, n.id > ${marker} as unread from scanned n where ${isShown(rules)}),
      placed as materialized (
        select s.*, row_number() over (partition by s.kind, s.group_id, s.unread order by s.id desc) as place from seen s),
      next as (select p.id from placed p where p.place = 1 order by p.id desc limit 1 offset ${size})
      select page.*, cut.id as page_cut
      from (select (select w.id from scanned w order by w.id desc limit 1 offset ${scanLimit} - 1) as id) cut
      left join lateral (
        select (array_agg(p.id order by p.id desc))[1] as id, (array_agg(p.id order by p.id))[1] as end_id, p.kind, p.subject_id, p.unread,
          min(p.reason) as reason, count(*)::int as count,
          array_agg(p.actor_id order by p.id desc) filter (where p.place <= ${shownActors}) as actor_ids
        from placed p where p.id >= coalesce((select next.id from next), ${smallest})
        group by p.kind, p.group_id, p.subject_id, p.unread order by 1 desc limit ${limit}) page on true`
  },
}

/** The position of a notification in that list. */
export const cursorOfNotification: ValueRead = { value: (row) => cursorOf(sql`${row}.id`) }

/** When the latest of what a notification tells of was done. */
export const timeOfNotification: ValueRead = { value: (row) => timeOf(sql`notification_time(${row}.id)`) }

/** How many events a notification tells of. */
export const countOfNotification: ValueRead = { value: (row) => sql`${row}.count` }

/** Whether the viewer has not read a notification. */
export const isUnread: ValueRead = { value: (row) => sql`${row}.unread` }

/** How many notifications the viewer has not read; null for any other user. */
export const unreadNotificationCount: ValueRead = {
  value: (row) => sql`case when ${isViewer(row)} then (
    select count(*) from (
      select distinct n.kind, ${groupOf(n)} from (
        select n.* from (select greatest(${viewer.notifyAfter}, ${marker}) as above) read
        cross join lateral notifications_of(${viewer.id}, read.above, ${largest}, null, ${scan.max}) n
        where ${isShown(rulesOfAll)} limit ${mostUnread}) n) unread) end`,
  cost: scan.max * scan.cost,
}

/** The accounts that a notification tells of, the latest first. */
export const actors: ListRead = {
  where: (it, row) => sql`${it}.id = any (${row}.actor_ids)`,
  orderBy: (it, _part, row) => sql`array_position(${row}.actor_ids, ${it}.id)`,
  rows: shownActors,
}
