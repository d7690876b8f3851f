import type pg from 'pg'
import { hashToken, newToken } from '../../../src/engine/auth/viewers.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { readersIn } from './readers.ts'

/** A user who asks, with a token for Rookery. */
export type Viewer = { readonly id: string; readonly token: string }

/** Users who follow so many accounts. */
export type Readers = { readonly name: string; readonly viewers: readonly Viewer[] }

/** A post with very many replies, and the ids of those that come just before its middle and its last page of 20. */
export type Thread = { readonly id: string; readonly count: number; readonly middle: string; readonly last: string }

/** Whom and what the requests are about, always the same ones for the same data. */
export type Sample = {
  readonly viewers: readonly Viewer[]
  readonly readers: readonly Readers[]
  /** Posts and replies of all ages. */
  readonly publications: readonly string[]
  /** Users with at least 20 posts. */
  readonly authors: readonly string[]
  readonly threads: readonly Thread[]
  /** Publications that their viewer does not like. */
  readonly unliked: readonly { readonly viewer: Viewer; readonly publication: string }[]
}

const counts = { viewers: 200, publications: 1000, authors: 200, threads: 3, unliked: 4000 } as const
const tokenName = 'Benchmark'

async function issueToken(db: pg.Client, id: string): Promise<Viewer> {
  const token = newToken()
  await db.query(
    'insert into access_tokens (id, hash, name, scopes, user_id) values (gen_random_uuid(), $1, $2, $3, $4)',
    [hashToken(token), tokenName, commonScopes, id],
  )
  return { id, token }
}

async function idsOf(db: pg.Client, text: string, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(text, [...values])
  return rows.map(({ id }) => id)
}

async function viewersOf(db: pg.Client, ids: readonly string[]): Promise<Viewer[]> {
  const viewers: Viewer[] = []
  for (const id of ids) viewers.push(await issueToken(db, id))
  return viewers
}

async function threadsIn(db: pg.Client): Promise<Thread[]> {
  const { rows } = await db.query<{ id: string; count: number; middle: string; last: string }>(
    `with thread as (
      select id, reply_count as count from publications where deleted_at is null order by reply_count desc, id limit $1)
    select id, count,
      (select r.id from live_publications r where r.parent_id = thread.id order by r.id
        offset greatest(count / 2 / 20 * 20 - 1, 0) limit 1) as middle,
      (select r.id from live_publications r where r.parent_id = thread.id order by r.id
        offset greatest((count - 1) / 20 * 20 - 1, 0) limit 1) as last
    from thread`,
    [counts.threads],
  )
  return rows
}

/** Chooses whom and what the requests are about, and issues the viewers' tokens; those of an earlier run go. */
export async function takeSample(db: pg.Client): Promise<Sample> {
  await db.query('delete from access_tokens where name = $1', [tokenName])
  // People who follow some dozens to some hundreds, as most who read a timeline do; the hash makes it any of them.
  const viewerIds = await idsOf(
    db,
    `select id from users where following_count between 10 and 300 and username not like 'reads\\_%'
     order by following_count < 25, md5(username) limit $1`,
    [counts.viewers],
  )
  const viewers = await viewersOf(db, viewerIds)
  const readers: Readers[] = []
  for (const { name, ids } of await readersIn(db)) readers.push({ name, viewers: await viewersOf(db, ids) })
  const { rows: pairs } = await db.query<{ id: string; n: number }>(
    `select id, (row_number() over (order by md5(content || id))) :: int as n
     from (select id, content from live_publications p
       where not exists (select from likes l where l.publication_id = p.id and l.user_id = any($2::uuid[]))
       order by md5(content) limit $1) p`,
    [counts.unliked, viewerIds],
  )
  return {
    viewers,
    readers,
    publications: await idsOf(db, 'select id from live_publications order by md5(content), id limit $1', [
      counts.publications,
    ]),
    authors: await idsOf(
      db,
      `select u.id from users u where (select count(*) from live_publications p
         where p.author_id = u.id and p.parent_id is null) >= 20 order by md5(username) limit $1`,
      [counts.authors],
    ),
    threads: await threadsIn(db),
    unliked: pairs.flatMap(({ id, n }) => {
      const viewer = viewers[n % viewers.length]
      return viewer ? [{ viewer, publication: id }] : []
    }),
  }
}
