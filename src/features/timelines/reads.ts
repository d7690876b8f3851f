import { type PageRead, type Rules, viewer } from '../../engine/compiler/field-reads.ts'
import type { PageClauses } from '../../engine/compiler/page-clauses.ts'
import { visible } from '../../engine/compiler/rules.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { maxFollowing } from '../base/relations.ts'
import { isPost } from '../posts/reads.ts'
import { followsMany } from '../visibility/reader.ts'

/** Everyone's posts, newest first. */
export const publicTimeline: PageRead = { order: 'desc', place: 'timelines', where: isPost }

const id = sql`p.id`
const posts = sql`live_publications p where ${isPost(sql`p`)}`

/** Whether the viewer's timelines have what this author publishes. */
export const isInTimelines = (rules: Rules, authorId: Sql) =>
  visible(rules, 'LivePublication', 'timelines', (field) => {
    if (field !== 'authorId') throw new TypeError(`Timelines do not know ${field} where they ask for their authors`)
    return authorId
  })

/** What reading the first post of an account costs; see `Cost`. */
const probedAuthor = 0.4

/** How many of the newest posts show whether the page is likely among `searched`, the most that are looked through. */
const sampled = 100
const searched = 1_000

/** By how much fewer hits than it needs in proportion a sample may have, so that a page is not searched in vain. */
const margin = 0.8

/** Whether the viewer's home timeline has the posts of this author. A scalar subquery is not turned into a hash of all follows. */
export const isFollowed = (authorId: Sql) => sql`(${authorId} = ${viewer.id} or
  coalesce((select true from follows f where f.follower_id = ${viewer.id} and f.followee_id = ${authorId}), false))`

/**
 * The newest n posts come from at most n authors. `authors` probes the first post of each followed account in the range, keeps the n
 * authors that come first, of those whom the viewer may see, and `probed` takes from each only posts that are not beyond the last of those. The cost grows with the
 * accounts followed and with n, never with the posts stored. Nothing is read unless the condition holds.
 */
const probe = ({ limit, within, walk, top, upTo }: PageClauses, rules: Rules, condition?: Sql) => sql`
  authors as materialized (
    select first.author_id, first.id
    from (
      select author.id as author_id, first.id
      from (select f.followee_id as id from follows f where f.follower_id = ${viewer.id} union all select ${viewer.id}) author
      cross join lateral (
        select p.id from ${posts} and p.author_id = author.id and ${within(id)} ${top(id, sql`1`)}) first
      where ${all(condition)}
      ${walk(sql`first.id`)} offset 0) first
    where ${all(isInTimelines(rules, sql`first.author_id`))}
    ${top(sql`first.id`)}),
  probed as (
    select mine.id
    from authors
    cross join lateral (
      select p.id from ${posts} and p.author_id = authors.author_id and ${within(id)}
        and ${upTo(id, sql`(select a.id from authors a ${top(sql`a.id`, sql`1`)} offset greatest(${limit} - 1, 0))`)}
      ${top(id)}) mine
    ${top(sql`mine.id`)})`

/** The posts of the accounts that the viewer follows, and the viewer's own, newest first. */
export const homeTimeline: PageRead = {
  order: 'desc',
  // The most that a viewer may follow, because the real number would take a lookup.
  begin: maxFollowing * probedAuthor,
  query: (window, rules) => sql`select p.* from (
    with ${probe(window, rules)} select probed.id from probed
  ) home join live_publications p on p.id = home.id`,
  // Whoever follows many accounts usually finds the page among the newest posts of everybody. These are looked through until the page is
  // full, where a sample says that it will be. The planner expects far more rows, so the limit keeps it from merging whole indexes.
  forms: {
    [followsMany]: (window, rules) => {
      const { limit, within, top } = window
      const author = sql`newest.author_id`
      const newest = (most: Sql) => sql`
      (select p.id, p.author_id from ${posts} and ${within(id)} ${top(id, most)}) newest where ${all(isFollowed(author), isInTimelines(rules, author))}`
      const isFull = sql`(select count(*) from recent) >= ${limit}`
      return sql`select p.* from (
      with sample as materialized (select count(*) as hits from ${newest(sql`${sampled}`)}),
      recent as materialized (
        select newest.id from ${newest(sql`case when
          (select hits * ${(margin * searched) / sampled} >= ${limit} from sample) then ${searched} else 0 end`)}
        ${top(sql`newest.id`)}),
      ${probe(window, rules, sql`not ${isFull}`)}
      select recent.id from recent where ${isFull} union all select probed.id from probed where not ${isFull}
    ) home cross join lateral (select p.* from live_publications p where p.id = home.id limit 1) p`
    },
  },
}
