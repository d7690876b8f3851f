import type { Client } from '../data/client.ts'

/** Sets every counter to the number of its rows. */
export async function setCounters(client: Client): Promise<void> {
  // Without statistics of the new rows, each of these counts might read a whole table.
  await analyze(client)
  await client.$executeRaw`
    update publications p set
      reply_count = (select count(*) from publications r where r.parent_id = p.id and r.deleted_at is null),
      like_count = (select count(*) from likes l where l.publication_id = p.id)`
  await client.$executeRaw`
    update users u set
      follower_count = (select count(*) from follows f where f.followee_id = u.id),
      following_count = (select count(*) from follows f where f.follower_id = u.id)`
}

/** Updates the statistics of the query planner. */
export async function analyze(client: Client): Promise<void> {
  await client.$executeRaw`analyze users, badges, user_badges, applications, publications, likes, follows`
}
