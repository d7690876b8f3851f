import type { Client } from '../../engine/data/client.ts'
import { languageIn } from '../../engine/text/language.ts'
import { entitiesIn } from '../base/entities.ts'
import { lockAccount } from '../base/lock-account.ts'
import { vectorOf } from '../base/words.ts'
import { audiences, type Line, type LineResult } from './lines.ts'

type PublicationLine = Line<'publication'>

/** A publication that exists. */
type Present = {
  readonly id: string
  readonly own: boolean | null
  readonly content: string
  readonly locked: boolean | null
  readonly hidden: boolean
} & Circle

/** For whom a publication is: the audience, and whose followers or which publication's addressees these are. */
type Circle = { readonly audience: (typeof audiences)[number]; readonly circle: string | null }

/** A line that is to be inserted. */
type Added = PublicationLine & { readonly for: Circle }

/** Why a publication takes no reply of the account, if so. One that is deleted takes them: they are older. */
function whyNoReply({ id, locked, hidden }: Present): string | undefined {
  if (hidden) return `${id} takes no replies of this account.`
  return locked ? `The author of ${id} has locked it.` : undefined
}

/**
 * What the database has already: the publications with the uuids of lines, of their parents or of what they quote, other uuids that
 * are taken, and applications.
 */
type Found = {
  readonly present: readonly Present[]
  readonly taken: ReadonlySet<string>
  readonly applications: ReadonlySet<string>
  /** Whether the account is private. */
  readonly isPrivate: boolean
}

/**
 * Inserts publications of an account that do not exist yet, with their times, and counts the replies among them. A reply is left
 * out if its parent neither exists nor precedes it, or if the API would refuse it. Those that exist get mentions of accounts that
 * did not exist when they were inserted.
 */
export async function importPublications(
  transaction: Client,
  account: string,
  lines: readonly PublicationLine[],
): Promise<readonly LineResult[]> {
  // Of two imports at the same time, the second finds what the first has inserted.
  await lockAccount(transaction, account)
  const found = await findBefore(transaction, account, lines)
  const { results, added } = resultsOf(account, lines, found)
  await insert(transaction, account, added, found.applications)
  const quoting = await addQuotes(transaction, account, lines, added)
  const uuids = new Set(lines.map(({ uuid }) => uuid))
  await addEntities(
    transaction,
    account,
    added,
    found.present.filter(({ id, own }) => own && uuids.has(id)),
  )
  return results.map((result, place) => {
    const { uuid = '', quote } = lines[place] ?? {}
    if (!quote) return result
    if (result.isKnown) return quoting.has(uuid) ? { ...result, isCompleted: true } : result
    if (!result.isImported || quoting.has(uuid)) return result
    return { problem: `It cannot quote ${quote}: imported without the quote.`, ...result, missing: quote }
  })
}

/**
 * Adds the quotes that publications lack, and returns the uuids of these. What was imported before only gets quotes of the account itself:
 * others may have detached theirs.
 */
async function addQuotes(
  transaction: Client,
  account: string,
  lines: readonly PublicationLine[],
  added: readonly Added[],
): Promise<ReadonlySet<string>> {
  const isAdded = new Set(added.map(({ uuid }) => uuid))
  const quotes = lines.flatMap(({ uuid, quote }) => (quote ? { uuid, quote, added: isAdded.has(uuid) } : []))
  if (quotes.length === 0) return new Set()
  const quoting = await transaction.$queryRaw<{ id: string; quote: string; counts: boolean }[]>`
    update publications p set quoted_id = q.id
    from jsonb_to_recordset(${JSON.stringify(quotes)}::jsonb) l(uuid uuid, quote uuid, added boolean) join publications q on q.id = l.quote
    where p.id = l.uuid and p.author_id = ${account}::uuid and p.quoted_id is null and p.deleted_at is null and q.id <> p.id
      and (l.added or q.author_id = ${account}::uuid)
      and (q.deleted_at is not null or (q.quotable or q.author_id = ${account}::uuid)
        and not exists (select from hidden_from(${account}::uuid, q.author_id))
        and exists (select from readable(null, q.author_id, q.audience, q.circle_id, q.parent_author_id) r where r))
    returning p.id, q.id as quote, p.audience = 'EVERYBODY' as counts`
  const counted = quoting.flatMap(({ quote, counts }) => (counts ? quote : []))
  await transaction.$executeRaw`
    update publications q set quote_count = q.quote_count + l.quotes
    from (select id, count(*)::int as quotes from unnest(${counted}::uuid[]) l(id) group by id) l where q.id = l.id`
  return new Set(quoting.map(({ id }) => id))
}

async function findBefore(transaction: Client, account: string, lines: readonly PublicationLine[]): Promise<Found> {
  const uuids = lines.map(({ uuid }) => uuid)
  const others = lines.flatMap(({ parent, quote }) => [parent, quote].flatMap((it) => it ?? []))
  const present = await transaction.$queryRaw<Present[]>`
    select id, author_id = ${account}::uuid as own, content, locked and author_id <> ${account}::uuid as locked,
      lower(audience::text) as audience, circle_id as circle, exists (select from hidden_from(${account}::uuid, author_id))
        or exists (select from readable(${account}::uuid, author_id, audience, circle_id, parent_author_id) r where not r) as hidden
    from publications where id = any(${[...uuids, ...others]}::uuid[]) order by id for no key update`
  const users = await transaction.user.findMany({ where: { id: { in: uuids } }, select: { id: true } })
  const own = await transaction.application.findMany({ where: { ownerId: account }, select: { id: true } })
  return {
    present,
    taken: new Set(users.map(({ id }) => id)),
    applications: new Set(own.map(({ id }) => id)),
    isPrivate: (await transaction.privateAccount.count({ where: { userId: account } })) > 0,
  }
}

/** For whom the publication of a line is: never for more than its parent. */
function circleOf(
  account: string,
  { uuid, audience }: PublicationLine,
  parent: Circle | undefined,
  isPrivate: boolean,
): Circle {
  const wanted = audience ?? (isPrivate ? 'followers' : 'everybody')
  if (parent && audiences.indexOf(wanted) <= audiences.indexOf(parent.audience)) return parent
  return { audience: wanted, circle: { everybody: null, followers: account, addressed: uuid }[wanted] }
}

/** The results of the lines, and which of them are to be inserted. */
function resultsOf(account: string, lines: readonly PublicationLine[], found: Found) {
  const { present, taken, applications, isPrivate } = found
  const circles = new Map<string, Circle>(present.map(({ id, audience, circle }) => [id, { audience, circle }]))
  const own = new Set(present.flatMap(({ id, own }) => (own ? id : [])))
  const known = new Map(present.map((it) => [it.id, whyNoReply(it)]))
  const isPresent = new Set(known.keys())
  const added: Added[] = []
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
    const circle = circleOf(account, line, parent === null ? undefined : circles.get(parent), isPrivate)
    circles.set(uuid, circle)
    added.push({ ...line, for: circle })
    if (from === null || applications.has(from)) return { isImported: true }
    return { problem: `There is no application ${from}: imported without it.`, isImported: true }
  })
  return { results, added }
}

/** Inserts these publications in their order, with their addressees, and counts the replies among them. */
async function insert(
  transaction: Client,
  account: string,
  added: readonly Added[],
  applications: Found['applications'],
): Promise<void> {
  const rows = added.map((line, place) => {
    const { uuid, parent, content, from, locked, quotable, created_at, edited_at, warning } = line
    const language = languageIn(line.language ?? '')
    const application = from !== null && applications.has(from) ? from : null
    return {
      place,
      uuid,
      parent,
      application,
      locked,
      quotable: quotable ?? true,
      created_at,
      edited_at,
      warning,
      language,
      ...line.for,
      ...textOf(content),
    }
  })
  await transaction.$executeRaw`
    insert into publications (id, parent_id, author_id, application_id, content, warning, language, locked, quotable, created_at, edited_at,
      tokens, parent_author_id, audience, circle_id)
    select p.uuid, p.parent, ${account}::uuid, p.application, p.content, p.warning, p.language, p.locked, p.quotable, p.created_at,
      p.edited_at,
      publication_tokens(p.words, ${account}::uuid, p.entities::text),
      (select nullif(parent.author_id, ${account}::uuid) from publications parent where parent.id = p.parent),
      upper(p.audience)::publication_audience, p.circle
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) p(place int, uuid uuid, parent uuid, application uuid, content text,
      locked boolean, quotable boolean, created_at timestamptz, edited_at timestamptz, words text, entities jsonb,
      audience text, circle uuid, warning text, language text)
    order by p.place`
  const addressed = added.flatMap(({ uuid, for: { circle }, addressees }) =>
    circle === uuid ? [account, ...(addressees ?? [])].map((user) => ({ uuid, user })) : [],
  )
  await transaction.$executeRaw`
    insert into addressees (publication_id, user_id)
    select distinct a.uuid, u.id from jsonb_to_recordset(${JSON.stringify(addressed)}::jsonb) a(uuid uuid, "user" uuid)
      join users u on u.id = a."user" join publications p on p.id = a.uuid left join publications parent on parent.id = p.parent_id
    where parent.id is null or exists (
      select from readable(u.id, parent.author_id, parent.audience, parent.circle_id, parent.parent_author_id) r where r)`
  const ids = added.map(({ uuid }) => uuid)
  await transaction.$executeRaw`
    select add_change('PUBLISHED', ${account}::uuid, id, null)::text from unnest(${ids}::uuid[]) added(id)`
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count + added.replies
    from (select parent_id, audience, count(*)::int as replies from publications where id = any(${ids}::uuid[])
      group by parent_id, audience) added
    where parent.id = added.parent_id and parent.audience = added.audience`
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
