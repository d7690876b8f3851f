import type { Client } from '../../engine/data/client.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { relationCounters, relations } from '../base/relations.ts'

/** Sets every counter to the number of its rows. */
export async function setCounters(client: Client): Promise<void> {
  // Without statistics of the new rows, each of these counts might read a whole table.
  await analyze(client)
  const countersOf = (type: 'publication' | 'user') =>
    Prisma.join(relationCounters(type).map(({ counter, count }) => Prisma.raw(`${counter} = ${count}`)))
  await client.$executeRaw`
    update publications it set ${countersOf('publication')},
      reply_count = (select count(*) from publications r where r.parent_id = it.id and r.deleted_at is null)`
  await client.$executeRaw`update users it set ${countersOf('user')}`
  await client.$executeRaw`
    update hashtags it set publication_count = (select count(*) from hashtag_uses u where u.hashtag_id = it.id and u.is_first)`
  await client.$executeRaw`delete from hashtags where publication_count = 0`
}

/** Updates the statistics of the query planner. */
export async function analyze(client: Client): Promise<void> {
  const tables = relations.map(({ table }) => table).join(', ')
  await client.$executeRaw`analyze users, badges, user_badges, applications, publications, mentions, hashtags, hashtag_uses, ${Prisma.raw(tables)}`
}
