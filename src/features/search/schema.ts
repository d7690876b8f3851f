import type { Arguments } from '../../engine/compiler/arguments.ts'
import { type Cost, objectCost } from '../../engine/compiler/cost.ts'
import type { ListRead, PageRead, Part } from '../../engine/compiler/field-reads.ts'
import { pageSize } from '../../engine/compiler/limits.ts'
import { largest, smallest } from '../../engine/compiler/page-clauses.ts'
import { pageExtent } from '../../engine/compiler/page-range.ts'
import { ofRow, visible } from '../../engine/compiler/rows.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { day } from '../../engine/day.ts'
import { account, namesIn } from '../accounts/reads.ts'
import { User, UserBy } from '../accounts/schema.ts'
import { searchBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { lengthOf, refuseInvalid, textError, withForm } from '../base/input-rules.ts'
import { byLanguage, languageArgs } from '../base/languages.ts'
import { forwardPageArgs } from '../base/pages.ts'
import { readAnyPublication, readUser } from '../base/permissions.ts'
import { usernameIn } from '../base/username.ts'
import { PublicationConnection } from '../posts/schema.ts'
import { isFollowed } from '../timelines/followed.ts'
import { viewer } from '../visibility/viewer.ts'
import { searchIn } from './query.ts'

/** What a search of publications costs besides its page; see `Cost`. */
const search = 5_000

/** What a search of users costs besides its users; see `Cost`. */
const searchOfUsers = 2_000

/** What a text asks of users, without the sign that precedes usernames. */
function queryOfUsers(text: string) {
  const query = text.replace(/^\s*[@＠]/, '')
  refuseInvalid(textError('text', query, searchBounds))
  return searchIn(query).query
}

/**
 * The first id of a time, for a condition on ids beside one on times, which no index has. The time of an id is at most a day from when its
 * publication was sent: see `clientUuid`.
 */
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
  hasTerms: sql`boolean`,
  since: sql`timestamptz`,
  until: sql`timestamptz`,
  before: sql`uuid`,
  after: sql`uuid`,
  ...account.types,
  ...byLanguage.types,
}

function searchValues({ text, author, ...given }: Arguments) {
  const { query, near, mentioned, from, ...period } = searchIn(String(text))
  const since = timesIn(given.since, period.since).at(-1)
  const [until] = timesIn(given.until, period.until)
  return {
    query,
    near: near.join('\n'),
    mentioned: arrayOf(mentioned),
    from: arrayOf(from),
    byAuthor: author != null,
    ...namesIn(author),
    ...byLanguage.keyOf(given),
    since,
    until,
    after: firstId(since, -day),
    before: firstId(until, day),
    hasTerms: query !== undefined || from.length > 0 || period.since !== undefined || period.until !== undefined,
  }
}

/** The publications that match a text, newest first. What is from one account may be from one that the viewer mutes. */
const publicationSearch: PageRead = {
  order: 'desc',
  place: 'timelines',
  startCost: search,
  types: searchTypes,
  keyOf: searchValues,
  found: ({ limit, after }, rules, part) => {
    const queryOf = (text: Sql) => sql`query_naming(${text}, ${part('mentioned')}::text[])`
    const isAuthor = account.where(sql`u`, viewer.id, part, rules)
    const isBetween = sql`p.created_at >= coalesce(${part('since')}, '-infinity') and p.created_at < coalesce(${part('until')}, 'infinity')`
    const isShownIn = (place: 'timelines' | 'lists') =>
      visible(rules, 'LivePublication', place, ofRow(sql`p`)) ?? sql`true`
    // The functions leave out the same, without which a page would end where it shows nothing. From moderators, they hide no account.
    const hides = visible(rules, 'User', 'everywhere', ofRow(sql`u`)) ? sql`true` : sql`false`
    return sql`select p.*, page.ended as page_cut
      from (select ${queryOf(part('query'))} as query,
        array(select ${queryOf(sql`term`)} from unnest(string_to_array(${part('near')}, e'\\n')) term) as terms,
        array(select user_named(name) from unnest(${part('from')}::text[]) name)
          || case when ${part('byAuthor')} then array[(select u.id from users u where ${isAuthor})] end as authors) search
      cross join lateral search_page(search.query, search.terms, search.authors[1], ${viewer.id}, ${hides},
        ${part('languages')}::text[], least(${after ? sql`${after}, ` : sql``}${part('before')}, ${largest}),
        coalesce(${part('after')}, ${smallest}), ${limit}) page
      left join lateral (select p.* from unnest(page.ids) hit(id)
        cross join lateral (select p.* from live_publications p where p.id = hit.id limit 1) p
        where ${isBetween} and case when search.authors[1] is null then ${isShownIn('timelines')} else ${isShownIn('lists')} end) p on true
      where ${part('hasTerms')} and search.authors[1] = all (search.authors)`
  },
}

/**
 * How many accounts are looked at of those whom the viewer followed last, and of those with the prefix, and how many of these and
 * of those with the words are found.
 */
const lookedUsers = { followed: 500, named: 1_000, others: 100 } as const

const handle = (row: Sql) => sql`lower(${row}.username) collate "C"`

/** Whether a username begins with the text; not if the text can begin none. "~" comes after all characters of usernames. */
const isNamed = (row: Sql, part: Part) =>
  sql`${handle(row)} >= ${part('prefix')} and ${handle(row)} < ${part('prefix')} || '~'`

/**
 * The accounts whose username begins with a text, that had it as theirs, or whose name has its words; those whom the viewer follows
 * first.
 */
const userSearch: ListRead = {
  rows: pageSize.default,
  types: { query: sql`text`, prefix: sql`text`, first: sql`int` },
  keyOf: ({ text, ...asked }) => ({
    query: queryOfUsers(String(text)),
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
      (select u.* from (select f.followee_id from follows f where f.follower_id = ${viewer.id} order by f.id desc limit
        ${lookedUsers.followed}) f
        join users u on u.id = f.followee_id where ${all(sql`(${isNamed(sql`u`, part)} or u.name_tokens @@ ${query})`, isSeen)})
      union (select u.* from (select u.* from users u where ${isNamed(sql`u`, part)} order by ${handle(sql`u`)} limit
        ${lookedUsers.named}) u
        where ${all(isSeen)} order by ${handle(sql`u`)} ${others})
      union (select u.* from users u where ${all(sql`u.id = user_named(${part('prefix')})`, isSeen)})
      union (select u.* from users_matching(${query}) matching join users u on u.id = matching.id where ${all(isSeen)} ${others})
    ) it order by ${userSearch.orderBy(sql`it`, part, row)} limit ${part('first')})`
  },
}

/** What it costs to find users. */
const userSearchCost: Cost = {
  ...objectCost,
  perRead: searchOfUsers,
  requested: ({ args }) => ({ rows: pageExtent(args).size }),
}

const length = lengthOf(searchBounds)

builder.queryFields((t) => ({
  searchPublications: t.field({
    type: PublicationConnection,
    permission: readAnyPublication,
    description:
      'Posts and replies with all words of a text, newest first, ignoring case, accents and punctuation; ' +
      'in scripts without spaces, and in Korean, any part of a word is found. A page looks at a limited ' +
      'number of publications and index entries, so it may end early, with fewer nodes or none, while more ' +
      'may follow.',
    args: {
      text: t.arg.string({
        required: true,
        description:
          `The search, ${length}: words, \`"a phrase"\`, \`one OR other\`, \`-word\` for what must not be ` +
          'there, `#hashtag`, `@username`, `from:username`, `since:2026-11-01` and ' +
          '`until:2026-11-30`.',
        ...withForm(searchBounds),
      }),
      author: t.arg({ type: UserBy, description: 'Only what this user published, even if the viewer mutes them.' }),
      since: t.arg({ type: 'DateTime', description: 'Only what was published at this time or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only what was published before this time.' }),
      ...languageArgs(t.arg),
      ...forwardPageArgs(t.arg, 'Only older publications than that of this cursor.'),
    },
    read: publicationSearch,
  }),
  searchUsers: t.field({
    type: [User],
    permission: readUser,
    description:
      'Users whose username begins with a text, or whose display name has all of its words; accounts that ' +
      'the viewer follows come first.',
    args: {
      text: t.arg.string({
        required: true,
        description: `The search, ${length}, with or without \`@\`.`,
        ...withForm(searchBounds),
      }),
      first: t.arg.int({
        description: `The maximum number of users, 0 to ${pageSize.max}. Defaults to ${pageSize.default}.`,
      }),
    },
    read: userSearch,
    cost: userSearchCost,
  }),
}))
