import type { Arguments } from '../../engine/compiler/arguments.ts'
import { type Cost, objectCost } from '../../engine/compiler/cost.ts'
import { type ListRead, type PageRead, type Part, viewer } from '../../engine/compiler/field-reads.ts'
import { largest, smallest } from '../../engine/compiler/page-clauses.ts'
import { pageExtent } from '../../engine/compiler/page-range.ts'
import { ofRow, visible } from '../../engine/compiler/rules.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { pageSize } from '../../engine/page-size.ts'
import type { Bounds } from '../../engine/text/characters.ts'
import { account, namesIn } from '../accounts/reads.ts'
import { refuseInvalid, textError } from '../base/text-rules.ts'
import { usernameIn } from '../base/username.ts'
import { isFollowed, isInTimelines } from '../timelines/reads.ts'
import { searchIn } from './query.ts'

/** The length of what is searched for. */
export const searchBounds: Bounds = { min: 1, max: 200 }

/** What a search of publications costs besides its page; see `Cost`. */
const search = 5_000

/** What a search of users costs besides its users; see `Cost`. */
const searchOfUsers = 2_000

function searchTerms(text: unknown) {
  const sought = String(text)
  refuseInvalid(textError('text', sought, searchBounds))
  return searchIn(sought)
}

/** How far the time of an id may be from when its publication was sent: see `clientUuidError`. */
const dayOfId = 86_400_000

/** The first id of a time, for a condition on ids beside one on times, which no index has. */
function firstId(time: Date | undefined, shift: number): string | null {
  if (!time) return null
  const digits = Math.max(0, time.getTime() + shift)
    .toString(16)
    .padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

const timesIn = (...times: readonly unknown[]) =>
  times.filter((time) => time instanceof Date).toSorted((a, b) => a.getTime() - b.getTime())

const arrayOf = (usernames: readonly string[]) => `{${usernames.join()}}`

/** The values of a search of publications. */
const searchTypes = {
  query: sql`text`,
  near: sql`text`,
  mentioned: sql`text`,
  from: sql`text`,
  byAuthor: sql`boolean`,
  asks: sql`boolean`,
  since: sql`timestamptz`,
  until: sql`timestamptz`,
  before: sql`uuid`,
  after: sql`uuid`,
  ...account.types,
}

function searchValues({ text, author, ...given }: Arguments) {
  const { query, near, mentioned, from, ...sought } = searchTerms(text)
  const since = timesIn(given.since, sought.since).at(-1)
  const [until] = timesIn(given.until, sought.until)
  return {
    query,
    near: near.join('\n'),
    mentioned: arrayOf(mentioned),
    from: arrayOf(from),
    byAuthor: author != null,
    ...namesIn(author),
    since,
    until,
    after: firstId(since, -dayOfId),
    before: firstId(until, dayOfId),
    asks: query !== undefined || from.length > 0 || sought.since !== undefined || sought.until !== undefined,
  }
}

/** The publications that match a text, newest first. What is from one account may be from one that the viewer mutes. */
export const publicationSearch: PageRead = {
  order: 'desc',
  place: 'timelines',
  begin: search,
  types: searchTypes,
  keyOf: searchValues,
  found: ({ limit, after }, rules, part) => {
    const queryOf = (text: Sql) => sql`query_naming(${text}, ${part('mentioned')}::text[])`
    const isAuthor = account.where(sql`u`, viewer.id, part, rules)
    const isBetween = sql`p.created_at >= coalesce(${part('since')}, '-infinity') and p.created_at < coalesce(${part('until')}, 'infinity')`
    const isListed = visible(rules, 'LivePublication', 'lists', ofRow(sql`p`))
    const isHeard = isInTimelines(rules, sql`p.author_id`) ?? sql`true`
    // The functions leave out the same, without which a page would end where it shows nothing.
    const reader = isListed ? viewer.id : sql`null::uuid`
    return sql`select p.*, page.ended as page_cut
      from (select ${queryOf(part('query'))} as query,
        array(select ${queryOf(sql`term`)} from unnest(string_to_array(${part('near')}, e'\\n')) term) as terms,
        array(select user_named(name) from unnest(${part('from')}::text[]) name)
          || case when ${part('byAuthor')} then array[(select u.id from users u where ${isAuthor})] end as authors) sought
      cross join lateral search_page(sought.query, sought.terms, sought.authors[1], ${reader},
        least(${after ? sql`${after}, ` : sql``}${part('before')}, ${largest}), coalesce(${part('after')}, ${smallest}), ${limit}) page
      left join lateral (select p.* from unnest(page.ids) hit(id)
        cross join lateral (select p.* from live_publications p where p.id = hit.id limit 1) p
        where ${isBetween} and case when sought.authors[1] is null then ${isHeard} else ${isListed ?? sql`true`} end) p on true
      where ${part('asks')} and sought.authors[1] = all (sought.authors)`
  },
}

/** How many accounts are looked at of those whom the viewer followed last, and of those with the prefix, and how many of these and of those with the words are found. */
const lookedUsers = { followed: 500, named: 1_000, others: 100 } as const

const handle = (row: Sql) => sql`lower(${row}.username) collate "C"`

/** Whether a username begins with the text; not if the text can begin none. "~" comes after all characters of usernames. */
const isNamed = (row: Sql, part: Part) =>
  sql`${handle(row)} >= ${part('prefix')} and ${handle(row)} < ${part('prefix')} || '~'`

/** The accounts whose username begins with a text, that had it as theirs, or whose name has its words; those whom the viewer follows first. */
export const userSearch: ListRead = {
  rows: pageSize.default,
  types: { query: sql`text`, prefix: sql`text`, first: sql`int` },
  keyOf: ({ text, ...asked }) => ({
    query: searchTerms(String(text).replace(/^\s*[@＠]/, '')).query,
    prefix: usernameIn(String(text).trim()),
    first: pageExtent(asked).size,
  }),
  orderBy: (it, part) =>
    sql`(not ${isFollowed(sql`${it}.id`)}, not coalesce(${isNamed(it, part)}, false), ${handle(it)})`,
  where: (it, row, part, rules) => {
    const isSeen = visible(rules, 'User', 'lists', ofRow(sql`u`))
    const query = sql`${part('query')}::tsquery`
    const others = sql`limit ${lookedUsers.others}`
    return sql`${it}.id in (select it.id from (
      (select u.* from (select f.followee_id from follows f where f.follower_id = ${viewer.id} order by f.id desc limit ${lookedUsers.followed}) f
        join users u on u.id = f.followee_id where ${all(sql`(${isNamed(sql`u`, part)} or u.name_tokens @@ ${query})`, isSeen)})
      union (select u.* from (select u.* from users u where ${isNamed(sql`u`, part)} order by ${handle(sql`u`)} limit ${lookedUsers.named}) u
        where ${all(isSeen)} order by ${handle(sql`u`)} ${others})
      union (select u.* from users u where ${all(sql`u.id = user_named(${part('prefix')})`, isSeen)})
      union (select u.* from users_matching(${query}) matching join users u on u.id = matching.id where ${all(isSeen)} ${others})
    ) it order by ${userSearch.orderBy(sql`it`, part, row)} limit ${part('first')})`
  },
}

/** What it costs to find users. */
export const userSearchCost: Cost = {
  ...objectCost,
  each: searchOfUsers,
  asks: (args) => ({ rows: pageExtent(args).size }),
}
