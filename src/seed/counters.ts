import type { Client } from '../data/client.ts'

const rowsInStatement = 10_000

const counters = {
  publications: `
    reply_count = (select count(*) from publications r where r.parent_id = t.id and r.deleted_at is null),
    like_count = (select count(*) from likes l where l.publication_id = t.id)`,
  users: `
    follower_count = (select count(*) from follows f where f.followee_id = t.id),
    following_count = (select count(*) from follows f where f.follower_id = t.id)`,
}

/** Sets every counter to the number of its rows, in slices, so that no statement runs for long. */
export async function setCounters(client: Client): Promise<void> {
  // Without statistics of the new rows, each of these counts might read a whole table.
  await analyze(client)
  for (const [table, values] of Object.entries(counters)) {
    const statement = `
      with slice as (select id from ${table} where id > $1::uuid order by id limit ${rowsInStatement}),
      counted as (update ${table} t set ${values} from slice where t.id = slice.id)
      select id::text as last from slice order by id desc limit 1`
    for (let last: string | undefined = '00000000-0000-0000-0000-000000000000'; last !== undefined; ) {
      const rows: { last: string }[] = await client.$queryRawUnsafe(statement, last)
      last = rows[0]?.last
    }
  }
}

/** Updates the statistics of the query planner. */
export async function analyze(client: Client): Promise<void> {
  await client.$executeRaw`analyze users, badges, user_badges, applications, publications, likes, follows`
}
