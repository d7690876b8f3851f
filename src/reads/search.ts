import { entitiesIn } from '../domain/entities.ts'
import { type Bounds, refuseInvalid, textError } from '../domain/text.ts'
import { usernameIn } from '../domain/username.ts'
import { pageSize } from '../page-size.ts'
import { type Cost, objectCost } from './cost.ts'
import { smallest } from './page-clauses.ts'
import { pageExtent } from './page-range.ts'
import { isPost, isReply } from './publications.ts'
import { type ListRead, type PageRead, type Part, viewer } from './read.ts'
import { all, type Sql, sql } from './sql.ts'
import { isFollowed, isInTimelines } from './timelines.ts'
import { account, namesIn } from './users.ts'
import { ofRow, visible } from './visibility.ts'

/** The length of what is searched for. */
export const soughtBounds: Bounds = { min: 1, max: 200 }

/** How many of the newest publications are looked through before the index is asked, which has no order, and for what it does not have. */
const looked = 500

/** What a search of publications costs besides its page; see `Cost`. */
const search = 5_000

/** What a search of users costs besides its users; see `Cost`. */
const searchOfUsers = 2_000

const id = sql`p.id`
const wordsOf = (content: Sql) => sql`to_tsvector('simple', search_text(${content}))`

function soughtText(text: unknown): string {
  const sought = String(text)
  refuseInvalid(textError('text', sought, soughtBounds))
  return sought
}

/** The words of a text, and the hashtags and usernames that it names beside them, as array literals. */
function partsOf(text: string) {
  const { hashtags = [], mentions = [] } = entitiesIn(text) ?? {}
  const characters = [...text]
  const isApart = ({ start }: { readonly start: number }) => /^\s?$/.test(characters[start - 1] ?? '')
  const [tags, names] = [hashtags.filter(isApart), mentions.filter(isApart)]
  for (const { start, end } of [...tags, ...names]) characters.fill(' ', start, end)
  const words = characters.join('').trim()
  const arrayOf = (items: readonly string[]) => (items.length > 0 ? `{${items.join()}}` : null)
  return {
    words: words || null,
    hashtags: arrayOf(tags.map(({ id }) => id)),
    usernames: arrayOf(names.map(({ username }) => username)),
  }
}

/**
 * The publications that match a text, newest first. Frequent words fill a page from the newest publications, and of an author with few
 * publications these are all. Otherwise the index finds all matches, which are few then, and the newest of them are taken. The index does not
 * have what is without a word: this is looked for among the newest with a hashtag or a mention, or of all.
 */
export const publicationsFound: PageRead = {
  order: 'desc',
  place: 'timelines',
  begin: search,
  types: {
    words: sql`text`,
    hashtags: sql`text`,
    usernames: sql`text`,
    byAuthor: sql`boolean`,
    ...account.types,
    since: sql`timestamptz`,
    until: sql`timestamptz`,
  },
  keyOf: ({ text, author, since, until }) => ({
    ...partsOf(soughtText(text)),
    byAuthor: author != null,
    ...namesIn(author),
    since,
    until,
  }),
  among: ({ limit, within, top }, rules, part) => {
    const hasAuthor = account.where(sql`u`, viewer.id, part, rules)
    const [byAuthor, query, author] = [
      part('byAuthor'),
      sql`(select query from sought)`,
      sql`(select author from sought)`,
    ]
    const isBetween = sql`p.created_at >= coalesce(${part('since')}, '-infinity') and p.created_at < coalesce(${part('until')}, 'infinity')`
    const newestOf = (condition: Sql) =>
      sql`(select p.* from live_publications p where ${condition} and ${within(id)} ${top(id, sql`${looked}`)})`
    const ofAuthor = (kind: (row: Sql) => Sql) =>
      newestOf(sql`${byAuthor} and p.author_id = ${author} and ${kind(sql`p`)}`)
    const newest = sql`(${newestOf(sql`not ${byAuthor}`)} union all
      (select p.* from (${ofAuthor(isPost)} union all ${ofAuthor(isReply)}) p ${top(id, sql`${looked}`)})) p`
    const isComplete = sql`(select isComplete from looked)`
    const [hashtags, mentioned] = [sql`${part('hashtags')}::uuid[]`, sql`(select mentioned from sought)`]
    const namesNothing = sql`${hashtags} is null and ${mentioned} is null`
    const hasNames = sql`not exists (select unnest(${hashtags}) except select u.hashtag_id from hashtag_uses u where u.publication_id = p.id)
      and not exists (select unnest(${mentioned}) except select m.user_id from mentions m where m.publication_id = p.id)`
    const isAllowed = all(
      isBetween,
      isInTimelines(rules, sql`p.author_id`),
      sql`(not ${byAuthor} or p.author_id = ${author})`,
      hasNames,
    )
    // Without words, there is no query.
    const matches = sql`case when ${query} is null then not (${namesNothing}) else ${wordsOf(sql`p.content`)} @@ ${query} end and ${isAllowed}`
    const isSought = sql`${within(id)} and not ${isComplete}`
    const isIndexed = sql`(select isIndexed from sought)`
    const having = (table: Sql, holds: Sql) => {
      const key = sql`u.publication_id`
      const last = sql`(select ${key} from ${table} u where ${holds} and ${within(key)} ${top(key, sql`1`)} offset ${looked} - 1)`
      const isLooked = sql`${key} >= coalesce(case when ${query} is not null then ${last} end, ${smallest})`
      return sql`(select distinct ${key} from ${table} u join publications p on p.id = ${key}
        where not ${isIndexed} and ${holds} and ${isLooked} and ${matches} and ${isSought} ${top(key)})`
    }
    return sql`select p.* from (
      with sought as materialized (
        select case when numnode(query) > 0 then query end as query, coalesce(querytree(query), '') not in ('', 'T') as isIndexed, (select u.id from users u where ${hasAuthor}) as author,
          (select array_agg(user_named(name)) from unnest(${part('usernames')}::text[]) name) as mentioned
        from search_query(${part('words')}) query),
      recent as materialized (select p.id from ${newest} where ${matches} ${top(id)}),
      looked as materialized (select (select count(*) from recent) >= ${limit}
        or not exists (select from ${newest} offset ${looked} - 1)
        or not ${isIndexed} and ${namesNothing} as isComplete),
      found as (
        select p.id from publications_with(${query}) p where ${isIndexed} and ${isAllowed} and ${isSought}
        union all ${having(sql`hashtag_uses`, sql`u.hashtag_id = (${hashtags})[1] and u.is_first`)}
        union all ${having(sql`mentions`, sql`${hashtags} is null and u.user_id = (${mentioned})[1]`)})
      select recent.id from recent where ${isComplete}
      union all (select p.id from found p ${top(id)})
    ) hit cross join lateral (select p.* from live_publications p where p.id = hit.id limit 1) p`
  },
}

/** How many accounts are looked at: of those whom the viewer followed last, with the prefix, and with the words. */
const lookedUsers = { followed: 500, others: 100 } as const

const handle = (row: Sql) => sql`lower(${row}.username) collate "C"`

/** Whether a username begins with the text; not if the text can begin none. "~" comes after all characters of usernames. */
const isNamed = (row: Sql, part: Part) =>
  sql`${handle(row)} >= ${part('prefix')} and ${handle(row)} < ${part('prefix')} || '~'`

/** The accounts whose username begins with a text, that had it as theirs, or whose name has its words; those whom the viewer follows first. */
export const usersFound: ListRead = {
  rows: pageSize.default,
  types: { text: sql`text`, prefix: sql`text`, first: sql`int` },
  keyOf: ({ text, ...asked }) => ({
    text: soughtText(text),
    prefix: usernameIn(String(text)),
    first: pageExtent(asked).size,
  }),
  by: (it, part) => sql`(not ${isFollowed(sql`${it}.id`)}, not coalesce(${isNamed(it, part)}, false), ${handle(it)})`,
  where: (it, _row, part, rules) => {
    const isSeen = visible(rules, 'User', 'lists', ofRow(sql`u`))
    const hasWords = sql`${wordsOf(sql`u.display_name`)} @@ search_query(${part('text')})`
    const others = sql`limit ${lookedUsers.others}`
    return sql`${it}.id in (select it.id from (
      (select u.* from (select f.followee_id from follows f where f.follower_id = ${viewer.id} order by f.id desc limit ${lookedUsers.followed}) f
        join users u on u.id = f.followee_id where ${all(sql`(${isNamed(sql`u`, part)} or ${hasWords})`, isSeen)})
      union (select u.* from users u where ${all(isNamed(sql`u`, part), isSeen)} order by ${handle(sql`u`)} ${others})
      union (select u.* from users u where ${all(sql`u.id = user_named(${part('prefix')})`, isSeen)})
      union (select u.* from users_with(search_query(${part('text')})) named join users u on u.id = named.id
        where ${all(isSeen)} ${others})
    ) it order by ${usersFound.by(sql`it`, part)} limit ${part('first')})`
  },
}

/** What it costs to find users. */
export const costOfUsersFound: Cost = {
  ...objectCost,
  asks: (args) => ({ rows: pageExtent(args).size, each: searchOfUsers }),
}
