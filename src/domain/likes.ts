import type { Access } from '../data/database.ts'
import { notFound } from '../errors.ts'
import { isPermitted, requirePermission } from './access.ts'
import { newId } from './new-id.ts'
import type { Permission } from './permissions.ts'
import type { Session } from './sessions.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/**
 * Likes or unlikes a publication, or toggles the like if `liked` is null. Returns what was done. It is one statement, and exact under
 * any concurrency. Throws `NOT_FOUND`, or `INSUFFICIENT_SCOPE` for the kind of the publication.
 */
export async function setLike(
  { write }: Access,
  session: Session,
  publication: string,
  liked: boolean | null,
  permission: Permission,
): Promise<'liked' | 'unliked'> {
  const [row] = await reportUnknownOutcome(`check whether the viewer likes publication ${publication}`, () =>
    write.run({
      text: 'select set_like($1::uuid, $2::uuid, $3::uuid, $4::boolean, $5::boolean, $6::boolean) as outcome',
      values: [
        newId(),
        session.viewerId,
        publication,
        liked,
        isPermitted(session, permission, 'post'),
        isPermitted(session, permission, 'reply'),
      ],
      lockKey: publication,
    }),
  )
  const outcome = row?.outcome
  if (outcome === 'liked' || outcome === 'unliked') return outcome
  if (outcome === 'post' || outcome === 'reply') requirePermission(session, permission, outcome)
  throw notFound(permission.post ? 'publication' : 'reply')
}
