import { maxFollowing } from '../domain/follows.ts'
import { type PageRead, viewer } from './read.ts'

const newestFirst = { order: 'desc', key: (it: string) => `${it}.id` } as const
const posts = (it: string) => `live_publications ${it} where ${it}.parent_id is null`

/** Everyone's posts, newest first. */
export const publicTimeline: PageRead = { ...newestFirst, page: (it) => `from ${posts(it)}` }

/** A user's posts, newest first. */
export const postsOfUser: PageRead = {
  ...newestFirst,
  page: (it, row) => `from ${posts(it)} and ${it}.author_id = ${row}.id`,
}

/** What probing the posts of an account costs; see `Cost`. */
const probedAuthor = 0.4

/**
 * The posts of the accounts that the viewer follows, and the viewer's own, newest first. The newest n posts come from at most n
 * authors: probe each author's first post in the window, keep the n authors that come first, and take from each only what is not
 * beyond the last of those. So the cost grows with the accounts followed and with n, never with the posts that are stored.
 */
export const homeTimeline: PageRead = {
  ...newestFirst,
  // As many as the viewer may follow: a price by their own count would take a look-up.
  begin: maxFollowing * probedAuthor,
  page: (it, _row, { limit, within, top, upTo }) => `from (
    with authors as materialized (
      select author.id as author_id, first.id
      from (select f.followee_id as id from follows f where f.follower_id = ${viewer.id} union all select ${viewer.id}) author
      cross join lateral (
        select p.id from ${posts('p')} and p.author_id = author.id and ${within('p.id')} ${top('p.id', '1')}) first
      ${top('first.id')})
    select mine.id
    from authors
    cross join lateral (
      select p.id from ${posts('p')} and p.author_id = authors.author_id and ${within('p.id')}
        and ${upTo('p.id', `(select a.id from authors a ${top('a.id', '1')} offset greatest(${limit} - 1, 0))`)}
      ${top('p.id')}) mine
    ${top('mine.id')}
  ) ${it}_home join live_publications ${it} on ${it}.id = ${it}_home.id where true`,
}
