import type { Client } from '../data/client.ts'

const rowsInStatement = 10_000

/** Sets every counter to the number of its rows, in slices, so that no statement runs for long. */
export async function setCounters(client: Client): Promise<void> {
  // Without statistics of the new rows, each of these counts might read a whole table.
  await analyze(client)
  for (let from: string | null = lowest; from !== null; ) from = await countPublications(client, from)
  for (let from: string | null = lowest; from !== null; ) from = await countUsers(client, from)
}

/** Updates the statistics of the query planner. */
export async function analyze(client: Client): Promise<void> {
  await client.$executeRaw`analyze users, badges, user_badges, applications, publications, likes, follows`
}

const lowest = '00000000-0000-0000-0000-000000000000'

type Slice = { last: string | null }

async function countPublications(client: Client, after: string): Promise<string | null> {
  const [slice] = await client.$queryRaw<Slice[]>`
    with slice as (select id from publications where id > ${after}::uuid order by id limit ${rowsInStatement}::int),
    counted as (
      update publications p
      set reply_count = (select count(*) from publications r where r.parent_id = p.id and r.deleted_at is null),
        like_count = (select count(*) from likes l where l.publication_id = p.id)
      from slice where p.id = slice.id)
    select (select id from slice order by id desc limit 1)::text as last`
  return slice?.last ?? null
}

async function countUsers(client: Client, after: string): Promise<string | null> {
  const [slice] = await client.$queryRaw<Slice[]>`
    with slice as (select id from users where id > ${after}::uuid order by id limit ${rowsInStatement}::int),
    counted as (
      update users u
      set follower_count = (select count(*) from follows f where f.followee_id = u.id),
        following_count = (select count(*) from follows f where f.follower_id = u.id)
      from slice where u.id = slice.id)
    select (select id from slice order by id desc limit 1)::text as last`
  return slice?.last ?? null
}
