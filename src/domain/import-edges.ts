import type { Client } from '../data/client.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { blocks, bookmarks, type Edge, follows, likes, mutes, wordsOf } from './edges.ts'
import type { Line } from './export-lines.ts'
import type { Outcome } from './import-outcome.ts'
import { newId } from './new-id.ts'

/** A line of an edge. */
export type EdgeLine = Line<'like' | 'bookmark' | 'follow' | 'block' | 'mute'>

const edgeOf = { like: likes, bookmark: bookmarks, follow: follows, block: blocks, mute: mutes } as const

/** The object of a line as it is here. */
type Found = { readonly object: string; readonly isByName?: boolean } | { readonly problem: string }

type Row = { readonly place: number; readonly known: boolean; readonly outcome: string | null }

/** Adds edges of an account that do not exist yet, under their ids, which are their places in lists, or new ones where these are taken. */
export async function importEdges(
  transaction: Client,
  account: string,
  lines: readonly EdgeLine[],
): Promise<readonly Outcome[]> {
  const [first] = lines
  if (!first) return []
  const edge = edgeOf[first.type]
  const found = await (edge.noun === 'user' ? findUsers(transaction, lines) : findPublications(transaction, lines))
  const objects = found.flatMap((it) => ('object' in it ? it.object : []))
  await lock(transaction, edge, [...objects, account])
  const seen = new Set<string>()
  const wanted = lines.map((line, place) => {
    const it = found[place]
    const id = seen.has(line.id) ? newId() : line.id
    seen.add(id)
    const until = line.type === 'mute' ? line.until : null
    return { place, id, other: newId(), object: it && 'object' in it ? it.object : null, until }
  })
  const rows = await transaction.$queryRaw<Row[]>(addEdges(edge, account, JSON.stringify(wanted)))
  return lines.map((line, place) =>
    outcomeOf(
      edge,
      line,
      found[place],
      rows.find((row) => row.place === place),
    ),
  )
}

function outcomeOf(edge: Edge, line: EdgeLine, found: Found | undefined, row: Row | undefined): Outcome {
  if (found && 'problem' in found) return found
  if (row?.known) return { isKnown: true }
  if (row?.outcome === null) return { problem: 'It has ended.' }
  if (row?.outcome === 'too_many') return { problem: `The account can ${edge.verb} at most ${limitOf(edge)} others.` }
  if (row?.outcome !== wordsOf(edge).on.done) return { problem: `It cannot ${edge.verb} ${nameOf(line)}.` }
  if (!found?.isByName) return { isImported: true }
  return { problem: `${nameOf(line)} has another uuid here: imported by the username.`, isImported: true }
}

const limitOf = (edge: Edge) => (edge.noun === 'user' ? edge.most : Number.POSITIVE_INFINITY)

const nameOf = (line: EdgeLine) => ('user' in line ? `@${line.user.username}` : line.publication)

/** Finds users by uuid, or else by username: on another server they have other uuids. */
async function findUsers(transaction: Client, lines: readonly EdgeLine[]): Promise<readonly Found[]> {
  const users = lines.flatMap((line) => ('user' in line ? line.user : []))
  const uuids = users.map(({ uuid }) => uuid)
  const names = users.map(({ username }) => username.toLowerCase())
  const here = await transaction.$queryRaw<{ id: string | null; named: string | null }[]>`
    select users.id, user_named(name) as named
    from unnest(${uuids}::uuid[], ${names}::text[]) with ordinality sought (uuid, name, place)
      left join users on users.id = uuid order by place`
  return users.map(({ uuid, username }, index) => {
    const { id, named } = here[index] ?? {}
    if (id) return { object: id }
    return named ? { object: named, isByName: true } : { problem: `There is no user ${uuid}, and no @${username}.` }
  })
}

async function findPublications(transaction: Client, lines: readonly EdgeLine[]): Promise<readonly Found[]> {
  const uuids = lines.flatMap((line) => ('publication' in line ? line.publication : []))
  const where = { id: { in: uuids }, deletedAt: null }
  const here = new Set((await transaction.publication.findMany({ where, select: { id: true } })).map(({ id }) => id))
  return uuids.map((uuid) => (here.has(uuid) ? { object: uuid } : { problem: `There is no post or reply ${uuid}.` }))
}

/** Locks what the edges change, in the order in which all writes do. */
async function lock(transaction: Client, { noun }: Edge, ids: readonly string[]): Promise<void> {
  const table = Prisma.raw(noun === 'user' ? 'users' : 'publications')
  await transaction.$queryRaw`select id from ${table} where id = any(${ids}::uuid[]) order by id for no key update`
}

/** The statement that adds the edges of a JSON list. */
function addEdges(edge: Edge, account: string, rows: string): Prisma.Sql {
  const { verb, noun, mayEnd } = edge
  const [table, from, to] = [edge.table, `${edge.from}_id`, `${edge.to}_id`].map((name) => Prisma.raw(name))
  const rules = noun === 'publication' ? 'true, true' : `${edge.most}${mayEnd ? ', l.until' : ''}`
  // The ids of users' edges are keys, those of others are unique at both of their ends.
  const isTaken =
    noun === 'user'
      ? Prisma.sql`exists (select from ${table} e where e.id = l.id)`
      : Prisma.sql`(exists (select from ${table} e where e.id = l.id and e.${from} = ${account}::uuid)
          or exists (select from ${table} e where e.id = l.id and e.${to} = l.object))`
  return Prisma.sql`
    select l.place, known.it as known, case when not known.it and (l.until is null or l.until > now()) then
      set_${Prisma.raw(verb)}(case when ${isTaken} then l.other else l.id end, ${account}::uuid, l.object, true, ${Prisma.raw(rules)}) end
      as outcome
    from jsonb_to_recordset(${rows}::jsonb) l(place int, id uuid, other uuid, object uuid, until timestamptz),
      lateral (select exists (select from ${table} e where e.${from} = ${account}::uuid and e.${to} = l.object) as it) known
    where l.object is not null order by l.place`
}
