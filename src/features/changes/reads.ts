import type { Key, OneRead, PageRead, Part, Rules, ValueRead } from '../../engine/compiler/field-reads.ts'
import { cursorOf } from '../../engine/compiler/json.ts'
import { maxScan } from '../../engine/compiler/limits.ts'
import { listsVisible, ofRow, visible } from '../../engine/compiler/rows.ts'
import { all, comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import { invalid } from '../../engine/errors.ts'
import { hashtagIn, hashtagRule } from '../base/entities.ts'
import { changeKindsOf, takingBack } from '../base/kinds.ts'
import { lookupList } from '../base/lookup-list.ts'
import { hidesBoth, isOfTimelines, relations, relationsTo } from '../base/relations.ts'
import { isForEverybody } from '../posts/reads.ts'
import { isFollowed, isInTimelines } from '../timelines/followed.ts'
import { authorOf } from '../visibility/rules.ts'
import { viewer } from '../visibility/viewer.ts'

/** What the order of changes does not tell: the feed orders transactions, which may wait for one another after they have begun. */
export const orderOfSimultaneousChanges =
  'Simultaneous changes to an object can come in either order: the object itself has its state.'

/** What looking at a change costs; see `Cost`. */
const scannedChange = 0.15

/** What an element of a list in a filter costs, and what looking up the hashtags of the changes does. */
const [listed, lookedUpHashtags] = [1, 150] as const

/** The newest change that readers can see now. */
const newest = sql`coalesce(
  (select c.id from changes c where c.id < change_horizon() order by c.id desc limit 1),
  (select c.id from changes c order by c.id limit 1))`

/** The position that a page comes after: now without a cursor. */
const startAfter = (after: Sql | undefined) => (after ? sql`coalesce(${after}, ${newest})` : newest)

// Without a row to compare with, and without a list, it would be null.
const isAmong = (column: Sql, ids: Sql) => sql`coalesce(${column} in (select unnest(${ids}::uuid[])), false)`

/** Whether a change belongs to the thread of one of these publications. */
const isOfThreads = (change: Sql, ids: Sql) => sql`
  ${change}.root_id in (select p.root_id from publications p where p.id = any (${ids}::uuid[]))`

/** Whether the kind of a change is one of these. */
const isOneOf = (change: Sql, kinds: readonly string[]) =>
  kinds.length > 0 ? sql`${change}.kind in (${sql.join(kinds.map(sql.literal), comma)})` : sql`false`

const toTimelines = changeKindsOf(relations.filter(isOfTimelines))
const toPublications = changeKindsOf(relationsTo('publication'))
const blocking = changeKindsOf(relations.filter(hidesBoth))
const toUsers = changeKindsOf(relationsTo('user').filter((relation) => !hidesBoth(relation)))

/** Whether an account was hidden from another one, or is no longer, which both see. */
const isOfBlock = (change: Sql) => isOneOf(change, blocking)

/** Whether an account was hidden from everybody, shown again or made private. */
const isOfAccount = (change: Sql) => sql`${change}.kind in ('ACCOUNT_HIDDEN', 'ACCOUNT_SHOWN', 'RESTRICTED')`

/** Whether a publication is, or was before its deletion, for everybody. */
const wasForEverybody = (publication: Sql) =>
  sql`(select ${isForEverybody(sql`p`)} from publications p where p.id = ${publication})`

/** Whether a publication was deleted with its account, whose follows may be gone when that is read. */
const isErased = (publication: Sql) => sql`(select p.author_id is null from publications p where p.id = ${publication})`

/** Whether a list of one of these hashtags has the publication, or had it before. Arrays of many ids would be compared one by one. */
const hasHashtag = (change: Sql, ids: Sql) => sql`${ids} is not null and exists (
  select from (select unnest(${change}.hashtag_ids) as id
    union all select u.hashtag_id from hashtag_uses u where u.publication_id = ${change}.publication_id and u.is_listed) h
  where ${isAmong(sql`h.id`, ids)})`

/** Whether the filter names this kind, or none. */
const isOfKind = (kind: Sql, part: Part) =>
  sql`(${part('kinds')} is null or ${kind}::text = any (${part('kinds')}::text[]))`

/**
 * Whether a source of the filter other than `notifications` selects a change. Likes of others are shown with what they like only,
 * as everywhere else.
 */
function isSelected(change: Sql, part: Part, rules: Rules): Sql {
  const [home, users] = [part('home'), part('users')]
  const [actor, user, publication] = [sql`${change}.actor_id`, sql`${change}.user_id`, sql`${change}.publication_id`]
  const isOfToken = visible(rules, 'Change', 'everywhere', ofRow(change))
  const isVisible = visible(rules, 'Change', 'lists', ofRow(change))
  // A block hides all but itself, and whether the account is there.
  const isSeen = isVisible && sql`(${isOfBlock(change)} or ${isOfAccount(change)} or ${isVisible})`
  const isOpen = (account: Sql) => listsVisible(rules, 'User', () => account)
  const isInTimelinesOfViewer = isInTimelines(rules, actor)
  const isPublicPost = sql`${change}.parent_id is null and ${wasForEverybody(publication)}`
  // Whoever has a copy learns of its deletion, also of an account that is hidden by now.
  const isKept = isInTimelinesOfViewer && sql`(${change}.kind = 'DELETED' or ${isInTimelinesOfViewer})`
  const isOfSource = sql`case
      when ${change}.kind = 'NOTIFIED' then false
      when ${isOfAccount(change)} then true
      when ${change}.kind = 'PROFILE_EDITED' then ${home} and ${actor} = ${viewer.id}
      when ${isOfBlock(change)} then ${viewer.id} in (${actor}, ${user})
      when ${isOneOf(change, toUsers)} then ${home} and ${viewer.id} in (${actor}, ${user})
        or ${all(isAmong(actor, users), isOpen(actor))} or ${all(isAmong(user, users), isOpen(user))}
      when ${isAmong(publication, part('publications'))} then true
      when ${isAmong(sql`${change}.parent_id`, part('repliesTo'))} then true
      when ${isAmong(sql`${change}.quoted_id`, part('quotesOf'))} then true
      when ${isOfThreads(change, part('threads'))} then true
      when ${isOneOf(change, toTimelines)} then ${all(isAmong(actor, users), isOpen(actor))}
        or ${home} and ${all(isFollowed(actor), isInTimelinesOfViewer, isInTimelines(rules, authorOf(publication)))}
      when ${isOneOf(change, toPublications)} then ${actor} = ${viewer.id} and (${home} or ${isAmong(actor, users)})
      when ${all(hasHashtag(change, part('hashtags')), isInTimelinesOfViewer)} then true
      else ${all(sql`${part('public')} and ${isPublicPost}`, isInTimelinesOfViewer)} or ${isAmong(actor, users)}
        or ${home} and (${all(isFollowed(actor), isKept)} or ${change}.kind = 'DELETED' and ${isErased(publication)})
    end`
  return sql`coalesce(${all(isOfKind(sql`${change}.kind`, part), isOfToken, isOfSource, isSeen)}, false)`
}

/**
 * Whether the viewer asks for notifications, and theirs may have changed: by what others did, or because they deleted what others
 * had liked.
 */
function isTold(change: Sql, part: Part, rules: Rules): Sql {
  const fields = new Map([
    ['actorId', sql`${change}.actor_id`],
    ['subjectId', sql`${change}.publication_id`],
  ])
  const isShown = visible(rules, 'Notification', 'lists', (field) => {
    const value = fields.get(field)
    if (!value) throw new TypeError(`Changes do not have ${field} of notifications`)
    return value
  })
  const isRecipient = sql`(${change}.recipient_id = ${viewer.id} or ${change}.kind = 'DELETED' and ${change}.actor_id = ${viewer.id})`
  return sql`coalesce(${all(part('notifications'), isRecipient, isShown)}, false)`
}

/** The changes that a filter selects, oldest first. */
export const changes: PageRead = {
  order: 'asc',
  startCost: maxScan * scannedChange,
  extra: ({ of }) => costOfLists(Object(of)),
  types: {
    home: sql`boolean`,
    public: sql`boolean`,
    notifications: sql`boolean`,
    repliesTo: sql`text`,
    quotesOf: sql`text`,
    publications: sql`text`,
    threads: sql`text`,
    users: sql`text`,
    hashtags: sql`text`,
    kinds: sql`text`,
  },
  keyOf: ({ of }) => filterOf(Object(of)),
  start: ({ after }) => startAfter(after),
  // No change before these can appear later. Raises `no_data_found` for a cursor that names no stored change.
  query: ({ after }, rules, part) => sql`
    select c.*, ${isSelected(sql`c`, part, rules)} as is_selected, ${isTold(sql`c`, part, rules)} as is_told from changes c
    where c.id < change_horizon() and c.id > ${startAfter(after && sql`known_change(${after})`)}`,
  filter: (it, _row, part) => sql`(${it}.is_selected or ${it}.is_told and ${isOfKind(sql`'NOTIFIED'`, part)})`,
}

/** Whether a change, which only `notifications` selects, takes something back: notifications do not tell by whom, or what. */
const isTakenBack = (row: Sql) => sql`(not ${row}.is_selected and ${row}.actor_id is distinct from ${viewer.id} and
  (${isOneOf(row, takingBack)} or ${row}.kind = 'NOTIFIED' and ${row}.publication_id is null and ${row}.user_id is null))`

/** The kind of a change, if a source other than `notifications` selects it. */
export const kindOfChange: ValueRead = {
  value: (row) => sql`case when ${row}.is_selected then ${row}.kind else 'NOTIFIED' end`,
}

/** Whether the notifications of the viewer may have changed with it. */
export const changesNotifications: ValueRead = { value: (row) => sql`${row}.is_told` }

const actor = (row: Sql) => sql`case when ${isTakenBack(row)} then ${viewer.id} else ${row}.actor_id end`
const publication = (row: Sql) => sql`case when not ${isTakenBack(row)} then ${row}.publication_id end`
const user = (row: Sql) => sql`case when ${row}.is_selected then ${row}.user_id else ${viewer.id} end`

/** The user who made the change. */
export const actorOfChange: OneRead = { where: (it, row) => sql`${it}.id = ${actor(row)}` }

/** The publication that was changed. */
export const changedPublication: OneRead = { where: (it, row) => sql`${it}.id = ${publication(row)}` }

/** The user who was followed, blocked or notified, or whose profile was edited. */
export const changedUser: OneRead = { where: (it, row) => sql`${it}.id = ${user(row)}` }

/** The id of what was changed: a publication, or a user who was followed. */
export const changedUuid: ValueRead = { value: (row) => sql`coalesce(${publication(row)}, ${user(row)})` }

/** The id of the user who made the change. */
export const actorUuid: ValueRead = { value: actor }

/** What the lists of a filter cost besides. */
function costOfLists(filter: Readonly<Record<string, unknown>>): number {
  const elements = Object.values(filter).reduce((sum: number, it) => sum + (Array.isArray(it) ? it.length : 0), 0)
  return elements * listed + (Array.isArray(filter.hashtags) ? lookedUpHashtags : 0)
}

/** The parts of a filter, lists as array literals. Throws `VALIDATION_FAILED` for one without a source, and for long lists. */
function filterOf(filter: Readonly<Record<string, unknown>>): Key {
  const listOf = (name: string, keyOf = (item: unknown) => item) => {
    const given = filter[name]
    return given == null ? null : `{${lookupList(`of.${name}`, given).map(keyOf).join()}}`
  }
  // Never null, so that conditions can negate them.
  const [home, ofAll, notifications] = [filter.home === true, filter.public === true, filter.notifications === true]
  const [repliesTo, quotesOf, publications] = [listOf('repliesTo'), listOf('quotesOf'), listOf('publications')]
  const hashtags = listOf('hashtags', (name) => idOfHashtag(String(name)))
  const lists = { repliesTo, quotesOf, publications, threads: listOf('threads'), users: listOf('users'), hashtags }
  if (!home && !ofAll && !notifications && Object.values(lists).every((list) => list === null))
    throw invalid({
      field: 'of',
      message:
        'must name at least one source: home, public, repliesTo, quotesOf, publications, threads, users, hashtags or notifications',
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
