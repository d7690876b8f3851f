import type { Database } from '../data/database.ts'
import { notFound } from '../errors.ts'
import { type Access, mayUse, requireKind } from './access.ts'
import type { Session } from './sessions.ts'
import { writing } from './writing.ts'

/**
 * Likes a publication, unlikes it, or (with `liked` null) flips what is; answers which it was. One statement, exact under any
 * concurrency. Throws `NOT_FOUND`, or `INSUFFICIENT_SCOPE` for its kind.
 */
export async function setLike(
  { run }: Database,
  { viewerId }: Session,
  publication: string,
  liked: boolean | null,
  access: Access,
): Promise<'liked' | 'unliked'> {
  const [row] = await writing(`check whether the viewer likes publication ${publication}`, () =>
    run<{ outcome: string }>('select set_like($1::uuid, $2::uuid, $3::boolean, $4::boolean, $5::boolean) as outcome', [
      viewerId,
      publication,
      liked,
      mayUse(access, 'post'),
      mayUse(access, 'reply'),
    ]),
  )
  const outcome = row?.outcome
  if (outcome === 'liked' || outcome === 'unliked') return outcome
  if (outcome === 'post' || outcome === 'reply') requireKind(access, outcome)
  throw notFound('publication')
}
