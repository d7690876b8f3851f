import type { PageRead, Rules } from '../../engine/compiler/field-reads.ts'
import type { PageClauses } from '../../engine/compiler/page-clauses.ts'
import { visible } from '../../engine/compiler/rows.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { maxFollowing } from '../base/relations.ts'
import { isListed, isPost } from '../posts/reads.ts'
import { viewer } from '../visibility/viewer.ts'

/** What reading the first post of an account costs; see `Cost`. */
const probedAuthor = 0.4

/**
 * What finding the first posts of the accounts that the viewer follows costs; see `Cost`. It is the most that they may follow, because
 * the real number would take a lookup.
 */
export const probingCost: NonNullable<PageRead['startCost']> = maxFollowing * probedAuthor

/** How many of the newest rows show whether the page is likely among `searched`, the most that are looked through. */
const sampled = 100
const searched = 1_000

/** By how much fewer hits than it needs in proportion a sample may have, so that a page is not searched in vain. */
const margin = 0.8

/** Whether the viewer's timelines have what this author publishes. */
export const isInTimelines = (rules: Rules, authorId: Sql) => visible(rules, 'User', 'timelines', () => authorId)

/** Whether the viewer's home timeline has the posts of this author. A scalar subquery is not turned into a hash of all follows. */
export const isFollowed = (authorId: Sql) => sql`(${authorId} = ${viewer.id} or
  coalesce((select true from follows f where f.follower_id = ${viewer.id} and f.followee_id = ${authorId}), false))`

/** A query of what timelines show: the first rows in the order of a page of whose id and author a condition holds. */
type Source = (window: PageClauses, limit: Sql, where: (id: Sql, author: Sql) => Sql | undefined) => Sql

const p = sql`p`
const [id, author] = [sql`p.id`, sql`p.author_id`]

/** The posts of authors, but not those for addressees. */
export const posts: Source = ({ top }, limit, where) => sql`
  select p.id, p.author_id, p.id as publication_id, false as is_repost from live_publications p
  where ${all(isPost(p), isListed(p), where(id, author))} ${top(id, limit)}`

/** The same with what they repost. Each has its own limit, so that no more is read of either. */
export const postsAndReposts: Source = (window, limit, where) => {
  const reposts = sql`select r.id, r.user_id, r.publication_id, true from reposts r
    where ${all(where(sql`r.id`, sql`r.user_id`))} ${window.top(sql`r.id`, limit)}`
  return sql`select p.* from ((${posts(window, limit, where)}) union all (${reposts})) p ${window.top(id, limit)}`
}

/** Which rows of the accounts that the viewer follows, and of the viewer, are found. */
type Followed = {
  readonly source: Source
  readonly window: PageClauses
  /** How many. */
  readonly limit: Sql
  readonly rules: Rules
}

/**
 * The newest n rows come from at most n authors. `authors` probes the first row of each followed account in the range, keeps the
 * n authors that come first, of those whom the viewer may see, and `probed` takes from each only rows that are not beyond the last
 * of those. The cost grows with the accounts followed and with n, never with what is stored. Nothing is read unless the condition
 * holds.
 */
function probe({ source, window, limit, rules }: Followed, condition?: Sql): Sql {
  const { within, scanOrder, top, upTo } = window
  const last = sql`(select a.id from authors a ${top(sql`a.id`, sql`1`)} offset greatest(${limit} - 1, 0))`
  const firstOf = source(window, sql`1`, (id, author) => sql`${author} = followed.id and ${within(id)}`)
  const firstOfAuthors = source(
    window,
    limit,
    (id, author) => sql`${author} = authors.author_id and ${within(id)} and ${upTo(id, last)}`,
  )
  return sql`
  authors as materialized (
    select first.author_id, first.id
    from (
      select followed.id as author_id, first.id
      from (select f.followee_id as id from follows f where f.follower_id = ${viewer.id} union all select ${viewer.id}) followed
      cross join lateral (${firstOf}) first
      where ${all(condition)}
      ${scanOrder(sql`first.id`)} offset 0) first
    where ${all(isInTimelines(rules, sql`first.author_id`))}
    ${top(sql`first.id`, limit)}),
  probed as (
    select mine.*
    from authors
    cross join lateral (${firstOfAuthors}) mine
    ${top(sql`mine.id`, limit)})`
}

/** The common table expressions before `found`, which has the first rows of the accounts that the viewer follows, and of the viewer. */
export const firstOfFollowed = (followed: Followed): Sql =>
  sql`with ${probe(followed)}, found as (select probed.* from probed)`

/**
 * The same for viewers who follow many accounts: they usually find the page among the newest rows of everybody. These are looked through
 * until the page is full, where a sample says that it will be. The planner expects far more rows, so the limit keeps it from merging
 * whole indexes.
 */
export function firstOfManyFollowed(followed: Followed): Sql {
  const { source, window, limit, rules } = followed
  const author = sql`newest.author_id`
  const newest = (count: Sql) => sql`
    (${source(window, count, window.within)}) newest where ${all(isFollowed(author), isInTimelines(rules, author))}`
  const isFull = sql`(select count(*) from recent) >= ${limit}`
  return sql`
    with sample as materialized (select count(*) as hits from ${newest(sql`${sampled}`)}),
    recent as materialized (
      select newest.* from ${newest(sql`case when
        (select hits * ${(margin * searched) / sampled} >= ${limit} from sample) then ${searched} else 0 end`)}
      ${window.top(sql`newest.id`, limit)}),
    ${probe(followed, sql`not ${isFull}`)},
    found as (select recent.* from recent where ${isFull} union all select probed.* from probed where not ${isFull})`
}
