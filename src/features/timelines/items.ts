import { type ListRead, objectIn, type PageRead, type Place, type Rules } from '../../engine/compiler/field-reads.ts'
import { timeOf } from '../../engine/compiler/json.ts'
import { type PageClauses, smallest } from '../../engine/compiler/page-clauses.ts'
import { listsVisible, ofRow, visible } from '../../engine/compiler/rows.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { User } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { forwardPageArgs, pageOf } from '../base/pages.ts'
import { readAnyPublication, readUser } from '../base/permissions.ts'
import { Publication } from '../posts/schema.ts'
import { followsMany } from '../visibility/reader.ts'
import { firstOfFollowed, firstOfManyFollowed, postsAndReposts, probingCost } from './followed.ts'

/** How many of the accounts that reposted a publication an item shows. */
export const shownReposters = 5

/** The fewest and the most posts and reposts that a page looks at. */
const [fewest, most] = [40, 200]

/** How many posts and reposts a page looks at: twice as many as it needs, because some are one item, or hidden. */
const lookedAt = ({ size }: PageClauses) => sql`least(greatest((${size} + 1) * 2, ${fewest}), ${most})`

/**
 * The page of the posts and reposts that were `found`: those of one publication are one item, in the place of the latest. It ends
 * with the last of them.
 */
function grouped(window: PageClauses, rules: Rules, place: Place): Sql {
  const { size, limit } = window
  const isShown = visible(rules, 'LivePublication', place, ofRow(sql`p`))
  return sql`,
    seen as (
      select f.*, case when f.is_repost then notification_time(f.id) else p.created_at end as at
      from found f cross join lateral (select p.* from live_publications p where p.id = f.publication_id limit 1) p
      where ${all(isShown)}),
    placed as materialized (
      select s.*, row_number() over (partition by s.publication_id order by s.id desc) as place from seen s),
    next as (select p.id from placed p where p.place = 1 order by p.id desc limit 1 offset ${size})
    select page.*, cut.id as page_cut
    from (select (select f.id from found f order by f.id desc limit 1 offset ${lookedAt(window)} - 1) as id) cut
    left join lateral (
      select (array_agg(p.id order by p.id desc))[1] as id, (array_agg(p.id order by p.id))[1] as end_id, p.publication_id, max(p.at) as at,
        (count(*) filter (where p.is_repost))::int as reposter_count,
        (array_agg(p.author_id order by p.id desc) filter (where p.is_repost))[:${shownReposters}] as reposter_ids
      from placed p where p.id >= coalesce((select next.id from next), ${smallest})
      group by p.publication_id order by 1 desc limit ${limit}) page on true`
}

const ofFollowed = (window: PageClauses, rules: Rules) => ({
  source: postsAndReposts,
  window,
  limit: lookedAt(window),
  rules,
})

/** What the accounts that the viewer follows, and the viewer, post and repost, newest first. */
const home: PageRead = {
  order: 'desc',
  startCost: 2 * probingCost,
  end: sql`end_id`,
  found: (window, rules) => sql`${firstOfFollowed(ofFollowed(window, rules))} ${grouped(window, rules, 'timelines')}`,
  forms: {
    [followsMany]: {
      found: (window, rules) =>
        sql`${firstOfManyFollowed(ofFollowed(window, rules))} ${grouped(window, rules, 'timelines')}`,
    },
  },
}

/** What looking at a post or repost and its publication costs beyond what an item does; see `Cost`. */
const perItem = 4

/** What the row, an account, posts and reposts, newest first. */
const timelineOf: PageRead = {
  order: 'desc',
  perRow: perItem,
  end: sql`end_id`,
  found: (window, rules, _part, row) => {
    const isOpen = listsVisible(rules, 'User', ofRow(row))
    const found = postsAndReposts(window, lookedAt(window), (id, author) =>
      all(sql`${author} = ${row}.id`, window.within(id), isOpen),
    )
    return sql`with found as materialized (${found}) ${grouped(window, rules, 'lists')}`
  },
}

/** Who reposted the publication of an item, the latest first. */
const reposters: ListRead = {
  where: (it, row) => sql`${it}.id = any (${row}.reposter_ids)`,
  orderBy: (it, _part, row) => sql`array_position(${row}.reposter_ids, ${it}.id)`,
  rows: shownReposters,
}

const TimelineItem = builder.prismaObject('TimelineItem', {
  description: 'An item of a timeline: a post, or a publication that was reposted.',
  fields: (t) => ({
    uuid: t.expose('id', {
      type: 'UUID',
      description:
        'The uuid of the post or, if the publication was reposted, of the latest repost. No other item of the list has it; ' +
        'one of another list may.',
    }),
    publication: t.field({
      type: Publication,
      description: 'The post, or the post or reply that was reposted.',
      read: objectIn(sql`publication_id`),
    }),
    repostedBy: t.field({
      type: [User],
      permission: readUser,
      description:
        `The accounts that reposted it, at most ${shownReposters}, latest first; empty for a post that none of ` +
        "the timeline's accounts reposted.",
      read: reposters,
    }),
    reposterCount: t.int({
      description: 'The number of reposts that the page found.',
      read: { value: (row) => sql`${row}.reposter_count` },
    }),
    at: t.field({
      type: 'DateTime',
      description: 'When it was published or last reposted.',
      read: { value: (row) => timeOf(sql`${row}.at`) },
    }),
  }),
})

const TimelineConnection = pageOf(TimelineItem, 'Timeline', 'posts and reposts')

const older = 'Only items after this cursor, which are older.'
const grouping =
  'On a page, a publication and its reposts are one item. A page looks at twice as many posts and reposts as it may ' +
  `have items, at least ${fewest} and at most ${most}, so it may be short.`

builder.queryFields((t) => ({
  home: t.field({
    type: TimelineConnection,
    permission: readAnyPublication,
    args: forwardPageArgs(t.arg, older),
    description: `Posts and reposts of the viewer and of the accounts that the viewer follows, newest first. ${grouping}`,
    read: home,
  }),
}))

builder.prismaObjectFields(User, (t) => ({
  timeline: t.field({
    type: TimelineConnection,
    permission: readAnyPublication,
    args: forwardPageArgs(t.arg, older),
    description: `Posts and reposts of the user, newest first, without posts for addressees. ${grouping}`,
    read: timelineOf,
  }),
}))
