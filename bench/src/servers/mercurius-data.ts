import pg from 'pg'
import { settings } from './child.ts'
import { connectionOf, type PageArgs, pageOf } from './peer-schema.ts'

const { databaseUrl, pool: max } = settings()
const pool = new pg.Pool({ connectionString: databaseUrl, max })

/** A publication as it is selected here. */
export type Publication = { readonly uuid: string; readonly authorId: string }

/** A user as it is selected here. */
export type User = { readonly uuid: string }

const publication = (
  p: string,
) => `${p}.id as uuid, ${p}.author_id as "authorId", ${p}.content, ${p}.created_at as "createdAt",
  ${p}.reply_count as "replyCount", ${p}.like_count as "likeCount"`

const user = `u.id as uuid, u.username, u.display_name as "displayName", u.bio, u.follower_count as "followerCount",
  u.following_count as "followingCount", u.joined_at as "joinedAt"`

/** Runs a prepared statement. */
export async function query<Row extends pg.QueryResultRow>(
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows
}

/** The viewer's home timeline, through the same function as PostGraphile's. */
export async function homeTimeline(viewer: string, args: PageArgs) {
  const { limit, key } = pageOf(args)
  const text = `select ${publication('p')} from home_timeline_for($1, $2, $3) p order by p.id desc`
  return connectionOf(await query<Publication>('home', text, [viewer, key, limit]), limit)
}

/** A publication by its id. */
export async function post(id: string): Promise<Publication | undefined> {
  const text = `select ${publication('p')} from live_publications p where p.id = $1`
  return (await query<Publication>('post', text, [id]))[0]
}

/** A user by id. */
export async function userById(id: string): Promise<User | undefined> {
  return (await query<User>('user', `select ${user} from users u where u.id = $1`, [id]))[0]
}

/** Users by their ids, in their order. */
export async function usersById(ids: readonly string[]): Promise<(User | undefined)[]> {
  const rows = await query<User>('users', `select ${user} from users u where u.id = any($1::uuid[])`, [ids])
  const byId = new Map(rows.map((row) => [row.uuid, row]))
  return ids.map((id) => byId.get(id))
}

/** Which of the publications the viewer likes. */
export async function likedBy(viewer: string, ids: readonly string[]): Promise<Set<string>> {
  const text = 'select publication_id as id from likes where user_id = $1 and publication_id = any($2::uuid[])'
  return new Set((await query<{ id: string }>('liked', text, [viewer, ids])).map(({ id }) => id))
}

/** Which of the users the viewer follows. */
export async function followedBy(viewer: string, ids: readonly string[]): Promise<Set<string>> {
  const text = 'select followee_id as id from follows where follower_id = $1 and followee_id = any($2::uuid[])'
  return new Set((await query<{ id: string }>('followed', text, [viewer, ids])).map(({ id }) => id))
}

const lists = {
  replies: `select k.id as of, p.* from unnest($1::uuid[]) k(id) cross join lateral (
    select ${publication('p')} from live_publications p
    where p.parent_id = k.id and p.id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
    order by p.id limit $3) p`,
  posts: `select k.id as of, p.* from unnest($1::uuid[]) k(id) cross join lateral (
    select ${publication('p')} from live_publications p
    where p.author_id = k.id and p.parent_id is null and p.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by p.id desc limit $3) p`,
} as const

/** One page of a list of each of the rows, all with the same arguments. */
export async function pagesOf(list: keyof typeof lists, ids: readonly string[], args: PageArgs) {
  const { limit, key } = pageOf(args)
  const rows = await query<Publication & { of: string }>(list, lists[list], [[...new Set(ids)], key, limit])
  const groups = Map.groupBy(rows, ({ of }) => of)
  return ids.map((id) => connectionOf(groups.get(id) ?? [], limit))
}
