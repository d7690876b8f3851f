import type { Client } from '../../engine/data/client.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/ids.ts'
import { runCalls } from '../base/function-calls.ts'
import { isOfTimelines, type Relation, type RelationName, relations, repeated, requestOf } from '../base/relations.ts'
import { lockObjects, relationCall } from '../relations/mutations.ts'
import type { Line, LineResult } from './lines.ts'

/** A line of a relation. */
type RelationLine = Line<RelationName>

/** The object of a line on this server. */
type Found = { readonly object: string; readonly isByName?: boolean } | { readonly problem: string }

/** A line whose object is here, with its id unless that is taken, and whether the relation exists or has ended. */
type Row = {
  readonly place: number
  readonly freeId: string | null
  readonly object: string
  readonly until: string | null
  readonly isKnown: boolean
  readonly hasEnded: boolean
}

/**
 * Adds relations of an account that do not exist yet, with their ids, which are their places in lists, or with new ones if these
 * are taken.
 */
export async function importRelations(
  transaction: Client,
  account: string,
  lines: readonly RelationLine[],
): Promise<readonly LineResult[]> {
  const relation = relations.find(({ name }) => name.one === lines[0]?.type)
  if (!relation) return []
  const found = await (relation.objectType === 'user'
    ? findUsers(transaction, lines)
    : findPublications(transaction, lines))
  const objects = found.flatMap((it) => ('object' in it ? it.object : []))
  await lockObjects(transaction, relation, [...objects, account])
  const seen = new Set<string>()
  const wanted = lines.map((line, place) => {
    const it = found[place]
    const id = seen.has(line.id) ? newId() : line.id
    seen.add(id)
    const until = 'until' in line ? line.until : null
    return { place, id, object: it && 'object' in it ? it.object : null, until }
  })
  const rows = await transaction.$queryRaw<Row[]>(findBefore(relation, account, JSON.stringify(wanted)))
  const added = rows.filter(({ isKnown, hasEnded }) => !isKnown && !hasEnded)
  const change = { actor: account, wanted: true, cause: 'import' } as const
  const calls = added.map(({ freeId, object, until }) =>
    relationCall(relation, { ...change, newId: freeId ?? newId(), object, until }),
  )
  const outcomes = await runCalls(transaction, calls)
  const byPlace = new Map(added.map(({ place }, index) => [place, outcomes[index]]))
  return lines.map((line, place) => {
    const it = found[place]
    if (it && 'problem' in it) return it
    if (byPlace.has(place)) return resultOf(relation, line, it?.isByName, byPlace.get(place))
    return rows.some((row) => row.place === place && row.isKnown) ? { isKnown: true } : { problem: 'It has ended.' }
  })
}

function resultOf(relation: Relation, line: RelationLine, isByName: boolean | undefined, outcome: unknown): LineResult {
  if (outcome === 'too_many')
    return { problem: `The account can ${relation.verb} at most ${limitOf(relation)} others.` }
  const done = [relation.on.done, requestOf(relation)?.done].filter((it) => it !== undefined)
  if (!done.some((it) => outcome === it || outcome === repeated(it)))
    return { problem: `It cannot ${relation.verb} ${nameOf(line)}.` }
  if (!isByName) return { isImported: true }
  return { problem: `${nameOf(line)} has another uuid here: found by username.`, isImported: true }
}

const limitOf = (relation: Relation) => (relation.objectType === 'user' ? relation.limit : Number.POSITIVE_INFINITY)

const nameOf = (line: RelationLine) => ('user' in line ? `@${line.user.username}` : line.publication)

/** Finds users by uuid, or else by username: on another server they have other uuids. */
async function findUsers(transaction: Client, lines: readonly RelationLine[]): Promise<readonly Found[]> {
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

async function findPublications(transaction: Client, lines: readonly RelationLine[]): Promise<readonly Found[]> {
  const uuids = lines.flatMap((line) => ('publication' in line ? line.publication : []))
  const where = { id: { in: uuids }, deletedAt: null }
  const here = new Set((await transaction.publication.findMany({ where, select: { id: true } })).map(({ id }) => id))
  return uuids.map((uuid) => (here.has(uuid) ? { object: uuid } : { problem: `There is no post or reply ${uuid}.` }))
}

/** The statement that finds what the database has of the relations of a JSON list. */
function findBefore(relation: Relation, account: string, rows: string): Prisma.Sql {
  const [table, from, to] = [relation.table, relation.actorColumn, relation.objectColumn].map((name) =>
    Prisma.raw(name),
  )
  const request = requestOf(relation)
  const isIdOfRequest = request
    ? Prisma.sql`exists (select from ${Prisma.raw(request.table)} q where q.id = l.id)`
    : Prisma.sql`false`
  const isRequested = request
    ? Prisma.sql`exists (select from ${Prisma.raw(request.table)} q
        where q.${Prisma.raw(request.actorColumn)} = ${account}::uuid and q.${Prisma.raw(request.objectColumn)} = l.object)`
    : Prisma.sql`false`
  // The ids of users' relations and of items of timelines are keys, those of others are unique at both of their ends. That of a request
  // becomes that of its relation.
  const isTaken =
    relation.objectType === 'user' || isOfTimelines(relation)
      ? Prisma.sql`(exists (select from ${table} e where e.id = l.id) or ${isIdOfRequest})`
      : Prisma.sql`(exists (select from ${table} e where e.id = l.id and e.${from} = ${account}::uuid)
          or exists (select from ${table} e where e.id = l.id and e.${to} = l.object))`
  return Prisma.sql`
    select l.place, case when not ${isTaken} then l.id end as "freeId", l.object, l.until::text,
      exists (select from ${table} e where e.${from} = ${account}::uuid and e.${to} = l.object) or ${isRequested} as "isKnown",
      coalesce(l.until <= now(), false) as "hasEnded"
    from jsonb_to_recordset(${rows}::jsonb) l(place int, id uuid, object uuid, until timestamptz)
    where l.object is not null order by l.place`
}
