import type { Client } from '../../engine/data/client.ts'
import { entitiesIn } from '../base/entities.ts'
import { lockAccount } from '../base/lock-account.ts'
import { vectorOf } from '../base/words.ts'
import type { LineResult } from './line-result.ts'
import type { Line } from './lines.ts'

type PublicationLine = Line<'publication'>

/** A publication that exists. */
type Present = {
  readonly id: string
  readonly own: boolean | null
  readonly content: string
  readonly locked: boolean | null
  readonly hidden: boolean
}

/** Why a publication takes no reply of the account, if so. One that is deleted takes them: they are older. */
function whyNoReply({ id, locked, hidden }: Present): string | undefined {
  if (hidden) return `The author of ${id} takes no replies of this account.`
  return locked ? `The author of ${id} has locked it.` : undefined
}

/** What the database has already: the publications with the uuids of lines or of their parents, other uuids that are taken, and applications. */
type Found = {
  readonly present: readonly Present[]
  readonly taken: ReadonlySet<string>
  readonly applications: ReadonlySet<string>
}

/**
 * Inserts publications of an account that do not exist yet, with their times, and counts the replies among them. A reply is left out if its
 * parent neither exists nor precedes it, or if the API would refuse it. Those that exist get mentions of accounts that did not exist when they were inserted.
 */
export async function importPublications(
  transaction: Client,
  account: string,
  lines: readonly PublicationLine[],
): Promise<readonly LineResult[]> {
  // Of two imports at the same time, the second finds what the first has inserted.
  await lockAccount(transaction, account)
  const found = await findBefore(transaction, account, lines)
  const { results, added } = resultsOf(lines, found)
  await insert(transaction, account, added, found.applications)
  const uuids = new Set(lines.map(({ uuid }) => uuid))
  await addEntities(
    transaction,
    account,
    added,
    found.present.filter(({ id, own }) => own && uuids.has(id)),
  )
  return results
}

async function findBefore(transaction: Client, account: string, lines: readonly PublicationLine[]): Promise<Found> {
  const uuids = lines.map(({ uuid }) => uuid)
  const parents = lines.flatMap(({ parent }) => parent ?? [])
  const present = await transaction.$queryRaw<Present[]>`
    select id, author_id = ${account}::uuid as own, content, locked and author_id <> ${account}::uuid as locked,
      exists (select from hidden_from(${account}::uuid, author_id)) as hidden
    from publications where id = any(${[...uuids, ...parents]}::uuid[]) order by id for no key update`
  const users = await transaction.user.findMany({ where: { id: { in: uuids } }, select: { id: true } })
  const own = await transaction.application.findMany({ where: { ownerId: account }, select: { id: true } })
  return { present, taken: new Set(users.map(({ id }) => id)), applications: new Set(own.map(({ id }) => id)) }
}

/** The results of the lines, and which of them are to be inserted. */
function resultsOf(lines: readonly PublicationLine[], { present, taken, applications }: Found) {
  const own = new Set(present.flatMap(({ id, own }) => (own ? id : [])))
  const known = new Map(present.map((it) => [it.id, whyNoReply(it)]))
  const isPresent = new Set(known.keys())
  const added: PublicationLine[] = []
  const results = lines.map((line): LineResult => {
    const { uuid, parent, from } = line
    if (own.has(uuid)) return { isKnown: true }
    if (isPresent.has(uuid) || taken.has(uuid)) return { problem: `The uuid ${uuid} is taken.` }
    if (parent !== null && !known.has(parent))
      return { problem: `There is no post or reply ${parent}.`, missing: parent }
    const problem = parent === null ? undefined : known.get(parent)
    if (problem !== undefined) return { problem }
    own.add(uuid)
    known.set(uuid, undefined)
    added.push(line)
    if (from === null || applications.has(from)) return { isImported: true }
    return { problem: `There is no application ${from}: imported without it.`, isImported: true }
  })
  return { results, added }
}

/** Inserts these publications in their order, and counts the replies among them. */
async function insert(
  transaction: Client,
  account: string,
  added: readonly PublicationLine[],
  applications: Found['applications'],
): Promise<void> {
  const rows = added.map(({ uuid, parent, content, from, locked, created_at, edited_at }, place) => {
    const application = from !== null && applications.has(from) ? from : null
    return { place, uuid, parent, application, locked, created_at, edited_at, ...textOf(content) }
  })
  await transaction.$executeRaw`
    insert into publications (id, parent_id, author_id, application_id, content, locked, created_at, edited_at, tokens)
    select p.uuid, p.parent, ${account}::uuid, p.application, p.content, p.locked, p.created_at, p.edited_at,
      publication_tokens(p.words, ${account}::uuid, p.entities::text)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) p(place int, uuid uuid, parent uuid, application uuid, content text,
      locked boolean, created_at timestamptz, edited_at timestamptz, words text, entities jsonb)
    order by p.place`
  const ids = added.map(({ uuid }) => uuid)
  await transaction.$executeRaw`
    select add_change('PUBLISHED', ${account}::uuid, id, null)::text from unnest(${ids}::uuid[]) added(id)`
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count + added.replies
    from (select parent_id, count(*)::int as replies from publications where id = any(${ids}::uuid[]) group by parent_id) added
    where parent.id = added.parent_id`
}

/** Adds the mentions and hashtags of what was inserted, and to what exists the mentions that it lacks. */
async function addEntities(
  transaction: Client,
  account: string,
  added: readonly PublicationLine[],
  existing: readonly Present[],
): Promise<void> {
  const texts = [
    ...added.map(({ uuid, content }) => ({ uuid, added: true, ...textOf(content) })),
    ...existing.map(({ id, content }) => ({ uuid: id, added: false, ...textOf(content) })),
  ].filter(({ entities }) => entities)
  const named = JSON.stringify(texts)
  const found = await transaction.$queryRaw<{ uuid: string }[]>`
    select p.uuid, set_entities(array[p.uuid], ${account}::uuid, p.entities::text, 'import')::text
    from jsonb_to_recordset(${named}::jsonb) p(uuid uuid, entities jsonb, added boolean)
    where p.added or exists (
      select from jsonb_to_recordset(p.entities->'mentions') m(start int, username text)
      where user_named(m.username) is not null
        and not exists (select from mentions e where e.publication_id = p.uuid and e.range_start = m.start))`
  await transaction.$executeRaw`
    update publications set tokens = publication_tokens(p.words, ${account}::uuid, p.entities::text)
    from jsonb_to_recordset(${named}::jsonb) p(uuid uuid, words text, entities jsonb, added boolean)
    where publications.id = p.uuid and not p.added and p.uuid = any(${found.map(({ uuid }) => uuid)}::uuid[])`
}

/** What is stored of a text. */
function textOf(content: string) {
  const entities = entitiesIn(content)
  return { content, words: vectorOf(content, entities), entities }
}
