import type { Client } from '../data/client.ts'
import { lockAccount } from './access-tokens.ts'
import { entitiesIn } from './entities.ts'
import type { Line } from './export-lines.ts'
import type { Outcome } from './import-outcome.ts'

/**
 * Inserts publications of an account that do not exist yet, with their times, and counts the replies among them. A reply is left out if its
 * parent neither exists nor precedes it.
 */
export async function importPublications(
  transaction: Client,
  account: string,
  lines: readonly Line<'publication'>[],
): Promise<readonly Outcome[]> {
  // Of two imports at the same time, the second finds what the first has inserted.
  await lockAccount(transaction, account)
  const uuids = lines.map(({ uuid }) => uuid)
  const parents = lines.flatMap(({ parent }) => parent ?? [])
  const present = await transaction.$queryRaw<{ id: string }[]>`
    select id from publications where id = any(${parents}::uuid[]) order by id for no key update`
  const taken = await transaction.$queryRaw<{ id: string; own: boolean | null }[]>`
    select id, author_id = ${account}::uuid as own from publications where id = any(${uuids}::uuid[])
    union all select id, false from users where id = any(${uuids}::uuid[])`
  const own = await transaction.application.findMany({ where: { ownerId: account }, select: { id: true } })
  const applications = new Set(own.map(({ id }) => id))
  const owners = new Map(taken.map(({ id, own }) => [id, own]))
  const known = new Set(present.map(({ id }) => id))
  const added: Line<'publication'>[] = []
  const outcomes = lines.map((line): Outcome => {
    const { uuid, parent, from } = line
    if (owners.get(uuid)) return { isKnown: true }
    if (owners.has(uuid)) return { problem: `The uuid ${uuid} is taken.` }
    if (parent !== null && !known.has(parent))
      return { problem: `There is no post or reply ${parent}.`, missing: parent }
    owners.set(uuid, true)
    known.add(uuid)
    added.push(line)
    if (from === null || applications.has(from)) return { isImported: true }
    return { problem: `There is no application ${from}: imported without it.`, isImported: true }
  })
  const rows = added.map(({ uuid, parent, content, from, locked, created_at, edited_at }, place) => {
    const application = from !== null && applications.has(from) ? from : null
    return { place, uuid, parent, application, content, locked, created_at, edited_at }
  })
  await transaction.$executeRaw`
    insert into publications (id, parent_id, author_id, application_id, content, locked, created_at, edited_at)
    select p.uuid, p.parent, ${account}::uuid, p.application, p.content, p.locked, p.created_at, p.edited_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) p(place int, uuid uuid, parent uuid, application uuid, content text,
      locked boolean, created_at timestamptz, edited_at timestamptz)
    order by p.place`
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count + added.replies
    from (select parent_id, count(*)::int as replies from publications where id = any(${added.map(({ uuid }) => uuid)}::uuid[])
      group by parent_id) added
    where parent.id = added.parent_id`
  const named = added.flatMap(({ uuid, content }) => {
    const entities = entitiesIn(content)
    return entities ? { uuid, entities } : []
  })
  await transaction.$executeRaw`
    select set_entities(array[p.uuid], ${account}::uuid, p.entities)
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) p(uuid uuid, entities text)`
  return outcomes
}
