import { isVisibleToOwner } from './edges.ts'
import { cursorOf, timeOf } from './json.ts'
import { type ListRead, type PageRead, type ValueRead, viewer } from './read.ts'
import { joinOf } from './rows.ts'
import { all, sql } from './sql.ts'
import { ofRow, visible } from './visibility.ts'

/** How many of the accounts that a notification tells of are shown. */
export const shownActors = 5

/** What the viewer is told, newest first; null for any other user. Each kind is in an index, so that a filter skips nothing. */
export const notifications: PageRead = {
  order: 'desc',
  key: sql`latest_id`,
  types: { kinds: sql`text` },
  keyOf: ({ kinds }) => ({ kinds: Array.isArray(kinds) ? `{${[...new Set(kinds)].join()}}` : null }),
  isVisible: isVisibleToOwner,
  among: ({ within, top }, rules, part) => {
    const key = sql`n.latest_id`
    const isShown = all(sql`n.count > 0`, visible(rules, 'Notification', 'lists', ofRow(sql`n`)))
    return sql`select n.* from unnest(coalesce(${part('kinds')}::notification_kind[], enum_range(null::notification_kind))) of(kind)
      cross join lateral (
        select n.* from notifications n
        where n.user_id = ${viewer.id} and n.kind = of.kind and ${isShown} and ${within(key)} ${top(key)}) n`
  },
}

/** The position of a notification in that list. */
export const cursorOfNotification: ValueRead = { value: (row) => cursorOf(sql`${row}.latest_id`) }

/** When the latest of what a notification tells of was done. */
export const timeOfNotification: ValueRead = { value: (row) => timeOf(sql`notification_time(${row}.latest_id)`) }

/** How many of them the viewer has not read; null for any other user. */
export const unreadNotificationCount: ValueRead = {
  value: (row) => sql`case when ${isVisibleToOwner(row)} then (
    select count(*) from notifications n where n.user_id = ${viewer.id} and n.unread and n.count > 0) end`,
  cost: 1,
}

/** The accounts that a notification tells of, the latest first. */
export const actors: ListRead = {
  via: {
    table: sql`(select * from (
      select e.*, row_number() over (partition by e.notification_id order by e.id desc) as place
      from notification_events e where not e.undone) e where e.place <= ${shownActors})`,
    from: sql`notification_id`,
    to: sql`actor_id`,
  },
  by: (it) => sql`${joinOf(it)}.id desc`,
  rows: shownActors,
}
