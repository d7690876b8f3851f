import type { Client } from '../data/client.ts'
import { lockAccount } from './access-tokens.ts'
import { entitiesIn } from './entities.ts'
import type { Line } from './export-lines.ts'
import type { Outcome } from './import-outcome.ts'

/**
 * Inserts publications of an account that do not exist yet, with their times, and counts the replies among them. A reply is left out if its
 * parent neither exists nor precedes it. Those that exist get mentions of accounts that did not exist when they were inserted.
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
  const present = await transaction.$queryRaw<{ id: string; own: boolean | null; content: string }[]>`
    select id, author_id = ${account}::uuid as own, content from publications
    where id = any(${[...uuids, ...parents]}::uuid[]) order by id for no key update`
  const users = await transaction.user.findMany({ where: { id: { in: uuids } }, select: { id: true } })
  const own = await transaction.application.findMany({ where: { ownerId: account }, select: { id: true } })
  const applications = new Set(own.map(({ id }) => id))
  const owners = new Map([...present, ...users.map(({ id }) => ({ id, own: false }))].map(({ id, own }) => [id, own]))
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
  const texts = [
    ...added.map(({ uuid, content }) => ({ uuid, content, added: true })),
    ...present.filter(({ id, own }) => own && uuids.includes(id)).map(({ id, content }) => ({ uuid: id, content })),
  ]
  const named = texts.flatMap(({ content, ...text }) => {
    const entities = entitiesIn(content)
    return entities ? { ...text, entities } : []
  })
  await transaction.$executeRaw`
    select set_entities(array[p.uuid], ${account}::uuid, p.entities::text)
    from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) p(uuid uuid, entities jsonb, added boolean)
    where p.added or exists (
      select from jsonb_to_recordset(p.entities->'mentions') m(start int, username text)
      where user_named(m.username) is not null
        and not exists (select from mentions e where e.publication_id = p.uuid and e.range_start = m.start))`
  return outcomes
}
