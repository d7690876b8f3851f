import { Refusal } from '../errors.ts'
import { type ScopeSets, satisfies } from '../scopes.ts'
import type { Viewer } from './viewers.ts'

/** `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets that something requires. */
export function insufficientScope(
  requiredScopes: ScopeSets,
  viewer: Pick<Viewer, 'scopes'> | undefined,
  what = 'This',
): Refusal {
  const alternatives = requiredScopes.map((set) => set.join(' and ')).join(', or ')
  const missingScopes = [...new Set(requiredScopes.flat())].filter((scope) => !viewer?.scopes.has(scope))
  const noun = requiredScopes.flat().length === 1 ? 'scope' : 'scopes'
  const message = `${what} requires a token with the ${noun} ${alternatives}.`
  return new Refusal('INSUFFICIENT_SCOPE', message, { requiredScopes, missingScopes })
}

/** Throws `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets. */
export function requireScopes(viewer: Pick<Viewer, 'scopes'>, sets: ScopeSets): void {
  if (!satisfies(viewer.scopes, sets)) throw insufficientScope(sets, viewer)
}
