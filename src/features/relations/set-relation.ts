import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/new-id.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { forbidden, invalid, notFound, Refusal } from '../../engine/errors.ts'
import { callOf, type FunctionCall } from '../base/function-calls.ts'
import type { Permission } from '../base/permissions.ts'
import { isPermitted, requirePermission } from '../base/permissions.ts'
import type { Relation } from '../base/relations.ts'

/** A change of a relation from the viewer to an object: whether it should exist, or null to toggle it. */
export type RelationChange = {
  readonly relation: Relation
  readonly uuid: string
  readonly wanted: boolean | null
  /** When it ends by itself, if it may; null for never. */
  readonly until?: Date | null
  readonly permission: Permission
}

/** Who changes which relation and why; `wanted` is null to toggle it. Only a request notifies. */
type RelationCall = {
  readonly newId: string | null
  readonly actor: string
  readonly object: string
  readonly wanted: boolean | null
  readonly cause: 'request' | 'import' | 'deletion'
  /** The kinds of publications that the actor may do this to: by default both. */
  readonly posts?: boolean
  readonly replies?: boolean
  readonly until?: string | null
}

/** Locks objects of a relation, in the order of all writes that lock publications or users, until the transaction ends. */
export async function lockObjects(
  transaction: Client,
  { objectType }: Relation,
  ids: readonly string[],
): Promise<void> {
  const table = Prisma.raw(`${objectType}s`)
  await transaction.$queryRaw`select id from ${table} where id = any(${ids}::uuid[]) order by id for no key update`
}

/** The call of the SQL function that changes a relation. */
export function relationCall(
  relation: Relation,
  { newId: new_id, actor: viewer, posts = true, replies = true, until: ends = null, ...change }: RelationCall,
): FunctionCall {
  const given = { new_id, viewer, ...change }
  if (relation.objectType === 'publication') return callOf(`set_${relation.verb}`, { ...given, posts, replies })
  const { limit: most } = relation
  if (relation.verb === 'mute') return callOf('set_mute', { ...given, most, ends })
  return callOf(`set_${relation.verb}`, { ...given, most })
}

/**
 * Sets or toggles a relation. Returns the form of its verb that says what was done, such as "unliked". It is one statement, and exact under
 * any concurrency. Throws `NOT_FOUND`, and `INSUFFICIENT_SCOPE` for the kind of a publication; for users `VALIDATION_FAILED` for oneself
 * or a time that is past, `CONFLICT` above the limit, and `FORBIDDEN` if a block forbids it.
 */
export async function setRelation(
  { write }: Access,
  viewer: Viewer,
  { relation, uuid, wanted, until, permission }: RelationChange,
): Promise<string> {
  const { verb, undo, on, off, objectType } = relation
  if (objectType === 'user' && uuid === viewer.id)
    throw invalid({ field: 'uuid', message: `must identify another user: users cannot ${verb} themselves` })
  if (wanted && until && until <= new Date()) throw invalid({ field: 'until', message: 'must be in the future' })
  const call = relationCall(relation, {
    newId: newId(),
    actor: viewer.id,
    object: uuid,
    wanted,
    cause: 'request',
    posts: isPermitted(viewer, permission, 'post'),
    replies: isPermitted(viewer, permission, 'reply'),
    until: until?.toISOString() ?? null,
  })
  const [row] = await reportUnknownOutcome(`check whether the viewer ${on.does} ${objectType} ${uuid}`, () =>
    write.run({
      ...call,
      // Of users, it locks two.
      lockKey: objectType === 'user' ? undefined : uuid,
    }),
  )
  const outcome = row?.outcome
  if (outcome === on.done || outcome === off.done) return outcome
  if (outcome === 'post' || outcome === 'reply') requirePermission(viewer, permission, outcome)
  if (outcome === 'hidden') throw forbidden('BLOCKED', `You cannot ${verb} this user: one of you blocks the other.`)
  if (objectType === 'user' && outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account can ${verb} at most ${relation.limit} others: ${undo} one first.`)
  throw notFound(objectType === 'user' || permission.post ? objectType : 'reply')
}
