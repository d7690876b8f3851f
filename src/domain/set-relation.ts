import type { Access } from '../data/database.ts'
import { callOf } from '../data/function-calls.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import { isPermitted, requirePermission } from './access.ts'
import { newId } from './new-id.ts'
import type { Permission } from './permissions.ts'
import type { Relation } from './relations.ts'
import type { Viewer } from './viewers.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** A change of a relation from the viewer to an object: whether it should exist, or null to toggle it. */
export type RelationChange = {
  readonly relation: Relation
  readonly uuid: string
  readonly wanted: boolean | null
  /** When it ends by itself, if it may; null for never. */
  readonly until?: Date | null
  readonly permission: Permission
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
  const change = { new_id: newId(), viewer: viewer.id, object: uuid, wanted }
  const call =
    relation.objectType === 'publication'
      ? callOf(`set_${relation.verb}`, {
          ...change,
          posts: isPermitted(viewer, permission, 'post'),
          replies: isPermitted(viewer, permission, 'reply'),
        })
      : relation.verb === 'mute'
        ? callOf('set_mute', { ...change, most: relation.limit, ends: until?.toISOString() ?? null })
        : callOf(`set_${relation.verb}`, { ...change, most: relation.limit })
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
  if (outcome === 'hidden') throw new Refusal('FORBIDDEN', `You cannot ${verb} this user: one of you blocks the other.`)
  if (objectType === 'user' && outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account can ${verb} at most ${relation.limit} others: ${undo} one first.`)
  throw notFound(objectType === 'user' || permission.post ? objectType : 'reply')
}
