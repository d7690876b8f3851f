import type pg from 'pg'
import { newId } from '../../../src/engine/data/ids.ts'

/** How many accounts the readers of each kind follow, and whether only such as have been quiet for long. */
const kinds = [
  { name: '10', follows: 10, isQuiet: false },
  { name: '100', follows: 100, isQuiet: false },
  { name: '1000', follows: 1_000, isQuiet: false },
  { name: '5000', follows: 5_000, isQuiet: false },
  { name: '400-quiet', follows: 400, isQuiet: true },
]
const readersOfKind = 3

/** One in so many users, the newest, is quiet: only the first of so many parts of all posts have some of theirs. */
const quiet = { users: 20, parts: 7 } as const

const usernameOf = (kind: string, nth: number | string) => `reads_${kind.replace('-', '_')}_${nth}`

/** Makes users quiet, and others into readers, who follow an exact number of accounts, to measure their timelines. */
export async function addReaders(db: pg.Client): Promise<void> {
  const { rows: users } = await db.query<{ id: string }>('select id from users order by id desc')
  const ids = users.map(({ id }) => id)
  const count = Math.floor(ids.length / quiet.users)
  const [silent, heirs] = [ids.slice(0, count), ids.slice(count, 2 * count)]
  await db.query('begin')
  await db.query(
    `update publications p set author_id = heir from unnest($1::uuid[], $2::uuid[]) change (silent, heir)
     where p.author_id = silent and p.id > (
       select id from publications order by id offset (select count(*) / ${quiet.parts} from publications) limit 1)`,
    [silent, heirs],
  )
  for (const [place, kind] of kinds.entries()) {
    const candidates = kind.isQuiet ? silent : ids
    if (candidates.length <= kind.follows) continue
    const first = 2 * count + place * readersOfKind
    for (const [index, id] of ids.slice(first, first + readersOfKind).entries())
      await makeReader(db, id, usernameOf(kind.name, index + 1), candidates, kind.follows)
  }
  await db.query(
    `update users u set following_count = (select count(*) from follows f where f.follower_id = u.id),
       follower_count = (select count(*) from follows f where f.followee_id = u.id)`,
  )
  await db.query('commit')
  await db.query('vacuum analyze users, publications, follows')
}

/** Lets a user follow so many of the candidates: any, but those with many followers more often. */
async function makeReader(db: pg.Client, id: string, username: string, candidates: readonly string[], follows: number) {
  await db.query('update users set username = $2 where id = $1', [id, username])
  await db.query('delete from follows where follower_id = $1', [id])
  await db.query(
    `with chosen as (
       select id, row_number() over (order by -ln(((hashtextextended(id::text, $4) & 1048575) + 1) / 1048577.0) / (1 + follower_count), id) as place
       from users where id = any($2::uuid[]) and id <> $1)
     insert into follows (id, follower_id, followee_id)
     select new.id, $1, chosen.id from unnest($3::uuid[]) with ordinality new (id, place) join chosen using (place)`,
    [id, candidates, Array.from({ length: follows }, newId), Number(username.at(-1))],
  )
}

/** The ids of the readers of each kind of which there are some. */
export async function readersIn(db: pg.Client): Promise<readonly { readonly name: string; readonly ids: string[] }[]> {
  const all: { name: string; ids: string[] }[] = []
  for (const { name } of kinds) {
    const { rows } = await db.query<{ id: string }>('select id from users where username ~ $1 order by id', [
      `^${usernameOf(name, '[0-9]$')}`,
    ])
    if (rows.length > 0) all.push({ name, ids: rows.map(({ id }) => id) })
  }
  return all
}
