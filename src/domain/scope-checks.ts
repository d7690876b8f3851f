import { notFound, Refusal } from '../errors.ts'
import { type ScopeSets, satisfies } from '../scopes.ts'
import type { Permission } from './permissions.ts'
import type { Viewer } from './viewers.ts'

/** The two kinds of publications. */
type PublicationKind = 'post' | 'reply'

/** `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets that something requires. */
export function insufficientScope(
  requiredScopes: ScopeSets,
  viewer: Pick<Viewer, 'scopes'> | undefined,
  what = 'This',
): Refusal {
  const alternatives = requiredScopes.map((set) => set.join(' and ')).join(', or ')
  const missingScopes = [...new Set(requiredScopes.flat())].filter((scope) => !viewer?.scopes.has(scope))
  const message = `${what} requires a token with the scopes ${alternatives}.`
  return new Refusal('INSUFFICIENT_SCOPE', message, { requiredScopes, missingScopes })
}

/** Throws `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets. */
export function requireScopes(viewer: Pick<Viewer, 'scopes'>, sets: ScopeSets): void {
  if (!satisfies(viewer.scopes, sets)) throw insufficientScope(sets, viewer)
}

/** Whether the permission applies to this kind of publication and the token has the scopes for it. */
export function isPermitted({ scopes }: Viewer, permission: Permission, kind: PublicationKind): boolean {
  return permission[kind]?.every((scope) => scopes.has(scope)) ?? false
}

/** Throws `NOT_FOUND` for a kind that the permission does not apply to, and `INSUFFICIENT_SCOPE` for missing scopes. */
export function requirePermission(viewer: Viewer, permission: Permission, kind: PublicationKind): void {
  const scopes = permission[kind]
  if (!scopes) throw notFound(kind === 'post' ? 'reply' : 'post')
  if (!isPermitted(viewer, permission, kind)) throw insufficientScope([scopes], viewer)
}
