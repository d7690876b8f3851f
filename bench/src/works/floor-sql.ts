/** The viewer in the floor's statements. */
export const viewer = '$1::uuid'

/** Whether the viewer likes the publication `row`. */
export const liked = (row: string) =>
  `exists (select from likes l where l.publication_id = ${row}.id and l.user_id = ${viewer})`

/** Whether the viewer follows the user `row`. */
export const following = (row: string) =>
  `exists (select from follows f where f.follower_id = ${viewer} and f.followee_id = ${row}.id)`

/** The author of the publication `row` as GraphQL shows it, with or without the viewer's flag. */
export const author = (row: string, flagged: boolean) => `(select json_build_object(
  'uuid', u.id, 'username', u.username, 'displayName', u.display_name${
    flagged ? `, 'viewerIsFollowing', ${following('u')}` : ''
  }) from users u where u.id = ${row}.author_id)`

/** The fields of a post, as GraphQL shows them, without the parentheses of the object. */
export const postFields = (
  row: string,
) => `'uuid', ${row}.id, 'content', ${row}.content, 'createdAt', ${row}.created_at,
  'replyCount', ${row}.reply_count, 'likeCount', ${row}.like_count, 'viewerHasLiked', ${liked(row)}`

/** The ids of `size` posts of the viewer's home timeline before `before`: see Rookery's `homeTimeline`. */
export const homeIds = (before: string, size: number) => `
  with authors as materialized (
    select author.id as author_id, newest.id
    from (select f.followee_id as id from follows f where f.follower_id = ${viewer} union all select ${viewer}) author
    cross join lateral (
      select p.id from publications p
      where p.author_id = author.id and p.parent_id is null and p.deleted_at is null and p.id < ${before}
      order by p.id desc limit 1) newest
    order by newest.id desc limit ${size})
  select mine.id from authors
  cross join lateral (
    select p.id from publications p
    where p.author_id = authors.author_id and p.parent_id is null and p.deleted_at is null and p.id < ${before}
      and p.id >= coalesce((select a.id from authors a order by a.id desc limit 1 offset ${size - 1}),
        '00000000-0000-0000-0000-000000000000')
    order by p.id desc limit ${size}) mine
  order by mine.id desc limit ${size}`

/** A parameter that is a key to page down from, where null is the top. */
export const fromTop = (parameter: string) => `coalesce(${parameter}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`

/** A parameter that is a key to page up from, where null is the bottom. */
export const fromBottom = (parameter: string) => `coalesce(${parameter}::uuid, '00000000-0000-0000-0000-000000000000')`

/** The rows of a query as a JSON list in their order. */
export const listOf = (object: string, query: string, order: string) =>
  `(select coalesce(json_agg(${object} order by ${order}), '[]') from (${query}) p)`

const seconds = (time: string) => `floor(extract(epoch from ${time}))::bigint`

const embeddedAuthor = (row: string) => `(select json_build_object('uuid', u.id, 'username', u.username,
  'display_name', u.display_name, 'avatar', 'https://www.gravatar.com/avatar/' ||
    encode(sha256(convert_to(lower(trim(u.email)), 'UTF8')), 'hex') || '?d=identicon',
  'badge', (select coalesce(json_agg(json_build_object('id', b.id, 'name', b.name) order by b.name), '[]')
    from user_badges w join badges b on b.id = w.badge_id where w.user_id = u.id),
  'bio', u.bio, 'follower_count', u.follower_count, 'following_count', u.following_count, 'joined', ${seconds('u.joined_at')})
  from users u where u.id = ${row}.author_id)`

/** A post object of the REST interface. */
export const postObject = (row: string) => `json_build_object('uuid', ${row}.id,
  'parent', case when ${row}.parent_id is not null then coalesce(
    (select json_build_object('uuid', parent.id, 'author', ${embeddedAuthor('parent')}, 'content', parent.content,
      'created_at', ${seconds('parent.created_at')}, 'deleted', false)
      from publications parent where parent.id = ${row}.parent_id and parent.deleted_at is null),
    json_build_object('uuid', ${row}.parent_id, 'author', null, 'content', null, 'created_at', null, 'deleted', true)) end,
  'author', ${embeddedAuthor(row)}, 'content', ${row}.content,
  'from', (select json_build_object('uuid', a.id, 'name', a.name, 'website', a.website)
    from applications a where a.id = ${row}.application_id),
  'locked', ${row}.locked, 'reply_count', ${row}.reply_count, 'like_count', ${row}.like_count,
  'has_liked', ${liked(row)}, 'created_at', ${seconds(`${row}.created_at`)})`
