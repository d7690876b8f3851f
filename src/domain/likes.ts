import type { Client } from '../data/client.ts'
import { notFound } from '../errors.ts'
import { type Access, mayUse, requireKind } from './access.ts'
import type { Session } from './sessions.ts'

/**
 * Likes a publication, unlikes it, or (with `liked` null) flips what is; answers which it was. One statement, exact under any
 * concurrency. Throws `NOT_FOUND`, or `INSUFFICIENT_SCOPE` for its kind.
 */
export async function setLike(
  client: Client,
  { viewerId }: Session,
  publication: string,
  liked: boolean | null,
  access: Access,
): Promise<'liked' | 'unliked'> {
  const [row] = await client.$queryRaw<{ outcome: string }[]>`
    select set_like(${viewerId}::uuid, ${publication}::uuid, ${liked}::boolean,
      ${mayUse(access, 'post')}::boolean, ${mayUse(access, 'reply')}::boolean) as outcome`
  const outcome = row?.outcome
  if (outcome === 'liked' || outcome === 'unliked') return outcome
  if (outcome === 'post' || outcome === 'reply') requireKind(access, outcome)
  throw notFound('publication')
}
