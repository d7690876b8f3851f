import pg from 'pg'
import { invalid, Refusal } from '../errors.ts'
import { hashtagIn, hashtagRule } from '../text/entities.ts'
import { type Key, type PageRead, type Part, type Rules, type ValueRead, viewer } from './field-reads.ts'
import { cursorOf } from './json.ts'
import { lookupList } from './lookup-list.ts'
import { maxWalk } from './page-clauses.ts'
import { all, type Sql, sql } from './sql.ts'
import { isFollowed, isInTimelines } from './timelines.ts'
import { ofRow, visible } from './visibility.ts'

/** What the order of changes does not tell: the feed orders transactions, which may wait for one another after they have begun. */
export const orderOfSimultaneousChanges =
  'Simultaneous changes to an object can come in either order: the object itself has its state.'

/** What looking at a change costs; see `Cost`. */
const scannedChange = 0.15

/** The newest change that readers can see now. */
const newest = sql`coalesce(
  (select c.id from changes c where c.id < change_horizon() order by c.id desc limit 1),
  (select c.id from changes c order by c.id limit 1))`

/** The position that a page comes after: now without a cursor. */
const startAfter = (after: Sql | undefined) => (after ? sql`coalesce(${after}, ${newest})` : newest)

/**
 * The columns of changes as their recipients see them, if they ask for notifications: of the kind `NOTIFIED`, and by themselves where somebody
 * took something back.
 */
function toldTo(rules: Rules, part: Part): Sql {
  const isTold = sql`(${part('notifications')} and coalesce(c.recipient_id = ${viewer.id}, false))`
  const isTakenBack = sql`(${isTold} and c.kind in ('UNLIKED', 'UNFOLLOWED', 'DELETED'))`
  const isHeard = visible(rules, 'Notification', 'lists', () => sql`c.actor_id`) ?? sql`true`
  return sql`c.id, c.at, c.parent_id, c.root_id, c.hashtag_ids,
    case when ${isTold} then 'NOTIFIED' else c.kind end as kind,
    case when ${isTakenBack} then c.recipient_id else c.actor_id end as actor_id,
    case when not ${isTakenBack} then c.publication_id end as publication_id,
    case when ${isTold} then c.recipient_id else c.user_id end as user_id,
    case when ${isTold} or c.kind = 'NOTIFIED' then ${isHeard} end as is_heard`
}

const isAmong = (column: Sql, ids: Sql) => sql`${column} in (select unnest(${ids}::uuid[]))`

/** Whether a change belongs to the thread of one of these publications. */
const isOfThreads = (change: Sql, ids: Sql) => sql`
  ${change}.root_id in (select p.root_id from publications p where p.id = any (${ids}::uuid[]))`

const isOfBlock = (change: Sql) => sql`${change}.kind in ('BLOCKED', 'UNBLOCKED')`

/** Whether a publication was deleted with its account, whose follows may be gone when that is read. */
const isErased = (publication: Sql) => sql`(select p.author_id is null from publications p where p.id = ${publication})`

/** Whether the publication has one of these hashtags, or had it before the change. */
const hasHashtag = (change: Sql, ids: Sql) => sql`${ids} is not null and (${change}.hashtag_ids && ${ids}::uuid[] or
  exists (select from hashtag_uses u where u.publication_id = ${change}.publication_id and ${isAmong(sql`u.hashtag_id`, ids)}))`

/** The changes that a filter selects, oldest first. Likes of others are shown with what they like only, as everywhere else. */
export const changes: PageRead = {
  order: 'asc',
  begin: maxWalk * scannedChange,
  types: {
    home: sql`boolean`,
    public: sql`boolean`,
    notifications: sql`boolean`,
    repliesTo: sql`text`,
    publications: sql`text`,
    threads: sql`text`,
    users: sql`text`,
    hashtags: sql`text`,
    kinds: sql`text`,
  },
  keyOf: ({ of }) => filterOf(Object(of)),
  scans: true,
  start: ({ after }) => startAfter(after),
  // No change before these can appear later. Raises `no_data_found` for a cursor that names no stored change.
  query: ({ after }, rules, part) => sql`select ${toldTo(rules, part)} from changes c
    where c.id < change_horizon() and c.id > ${startAfter(after && sql`known_change(${after})`)}`,
  where: (it, _row, part, rules) => {
    const [home, kinds, users] = [part('home'), part('kinds'), part('users')]
    const [actor, user, publication] = [sql`${it}.actor_id`, sql`${it}.user_id`, sql`${it}.publication_id`]
    const isVisible = visible(rules, 'Change', 'lists', ofRow(it))
    // A block hides all but itself.
    const isSeen = isVisible && sql`(${isOfBlock(it)} or ${isVisible})`
    const isOfKind = sql`(${kinds} is null or ${it}.kind::text = any (${kinds}::text[]))`
    const isOfTimelines = isInTimelines(rules, actor)
    // Whoever has a copy learns of its deletion, also of an account that is hidden by now.
    const isKept = isOfTimelines && sql`(${it}.kind = 'DELETED' or ${isOfTimelines})`
    const isOfSource = sql`case
        when ${it}.kind = 'NOTIFIED' then ${part('notifications')} and ${user} = ${viewer.id} and ${it}.is_heard
        when ${it}.kind = 'PROFILE_EDITED' then ${home} and ${actor} = ${viewer.id}
        when ${isOfBlock(it)} then ${home} and ${viewer.id} in (${actor}, ${user})
        when ${it}.kind in ('FOLLOWED', 'UNFOLLOWED') then ${isAmong(actor, users)} or ${isAmong(user, users)}
          or ${home} and ${viewer.id} in (${actor}, ${user})
        when ${isAmong(publication, part('publications'))} then true
        when ${isAmong(sql`${it}.parent_id`, part('repliesTo'))} then true
        when ${isOfThreads(it, part('threads'))} then true
        when ${it}.kind in ('LIKED', 'UNLIKED') then ${actor} = ${viewer.id} and (${home} or ${isAmong(actor, users)})
        when ${all(hasHashtag(it, part('hashtags')), isOfTimelines)} then true
        else ${all(sql`${part('public')} and ${it}.parent_id is null`, isOfTimelines)} or ${isAmong(actor, users)}
          or ${home} and (${all(isFollowed(actor), isKept)} or ${it}.kind = 'DELETED' and ${isErased(publication)})
      end`
    return all(isOfKind, isSeen, isOfSource)
  },
}

/** The parts of a filter, lists as array literals. Throws `VALIDATION_FAILED` for one without a source, and for long lists. */
function filterOf(filter: Readonly<Record<string, unknown>>): Key {
  const listOf = (name: string, keyOf = (item: unknown) => item) => {
    const given = filter[name]
    return given == null ? null : `{${lookupList(`of.${name}`, given).map(keyOf).join()}}`
  }
  const { home = null, public: ofAll = null, notifications = null } = filter
  const [repliesTo, publications, users] = [listOf('repliesTo'), listOf('publications'), listOf('users')]
  const hashtags = listOf('hashtags', (name) => idOfHashtag(String(name)))
  const lists = { repliesTo, publications, threads: listOf('threads'), users, hashtags }
  if (!home && !ofAll && !notifications && Object.values(lists).every((list) => list === null))
    throw invalid({
      field: 'of',
      message:
        'must name at least one source: home, public, repliesTo, publications, threads, users, hashtags or notifications',
    })
  return { home, public: ofAll, notifications, ...lists, kinds: listOf('kinds') }
}

/** Throws `VALIDATION_FAILED` for a text that is no hashtag. */
function idOfHashtag(name: string): string {
  const hashtag = hashtagIn(name)
  if (!hashtag) throw invalid({ field: 'of.hashtags', message: `must be hashtags: ${hashtagRule}` })
  return hashtag.id
}

/** The position after all changes that readers can see now, as JSON. */
export const changeCursor: ValueRead = { value: () => sql`to_json(${cursorOf(newest)})` }

/** The position after a change. */
export const cursorOfChange: ValueRead = { value: (row) => cursorOf(sql`${row}.id`) }

/** The id of what was changed: a publication, or a user who was followed. */
export const changedUuid: ValueRead = { value: (row) => sql`coalesce(${row}.publication_id, ${row}.user_id)` }

/** The id of the user who made the change. */
export const actorUuid: ValueRead = { value: (row) => sql`${row}.actor_id` }

/** Throws `CURSOR_EXPIRED` if a statement failed because a cursor names no stored change, or else the error. */
export function refuseExpired(error: unknown): never {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'P0002') throw error
  throw new Refusal(
    'CURSOR_EXPIRED',
    'Changes after this cursor may be lost. Read everything again, from a new cursor.',
  )
}
