import type { Access } from '../data/database.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import { isPermitted, requirePermission } from './access.ts'
import { type Edge, wordsOf } from './edges.ts'
import { newId } from './new-id.ts'
import type { Permission } from './permissions.ts'
import type { Session } from './sessions.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** A change of an edge from the viewer to an object: whether it should exist, or null to toggle it. */
export type EdgeChange = {
  readonly edge: Edge
  readonly uuid: string
  readonly wanted: boolean | null
  /** When it ends by itself, if it may; null for never. */
  readonly until?: Date | null
  readonly permission: Permission
}

/**
 * Sets or toggles an edge. Returns the form of its verb that says what was done, such as "unliked". It is one statement, and exact under
 * any concurrency. Throws `NOT_FOUND`, and `INSUFFICIENT_SCOPE` for the kind of a publication; for users `VALIDATION_FAILED` for oneself
 * or a time that is past, `CONFLICT` above the limit, and `FORBIDDEN` if a block forbids it.
 */
export async function setEdge(
  { write }: Access,
  session: Session,
  { edge, uuid, wanted, until, permission }: EdgeChange,
): Promise<string> {
  const { verb, noun } = edge
  const { on, off } = wordsOf(edge)
  if (noun === 'user' && uuid === session.viewerId)
    throw invalid({ field: 'uuid', message: `must identify another user: users cannot ${verb} themselves` })
  if (wanted && until && until <= new Date()) throw invalid({ field: 'until', message: 'must be in the future' })
  const kinds = (['post', 'reply'] as const).map((kind) => isPermitted(session, permission, kind))
  const [types, rules] =
    noun === 'publication'
      ? ['$5::boolean, $6::boolean', kinds]
      : edge.mayEnd
        ? ['$5::int, $6::timestamptz', [edge.most, until?.toISOString() ?? null]]
        : ['$5::int', [edge.most]]
  const [row] = await reportUnknownOutcome(`check whether the viewer ${on.does} ${noun} ${uuid}`, () =>
    write.run({
      text: `select set_${verb}($1::uuid, $2::uuid, $3::uuid, $4::boolean, ${types}) as outcome`,
      values: [newId(), session.viewerId, uuid, wanted, ...rules],
      // Of users, it locks two.
      lockKey: noun === 'user' ? undefined : uuid,
    }),
  )
  const outcome = row?.outcome
  if (outcome === on.done || outcome === off.done) return outcome
  if (outcome === 'post' || outcome === 'reply') requirePermission(session, permission, outcome)
  if (outcome === 'hidden') throw new Refusal('FORBIDDEN', `You cannot ${verb} this user: one of you blocks the other.`)
  if (noun === 'user' && outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account can ${verb} at most ${edge.most} others: ${off.infinitive} one first.`)
  throw notFound(noun === 'user' || permission.post ? noun : 'reply')
}
