import { notFound, Refusal } from '../errors.ts'
import { fieldScopes, type Scope, type ScopeSets } from '../scopes.ts'

/** The two kinds of publications. */
export type Kind = 'post' | 'reply'

/** What an operation needs for each kind, and what the token has. A kind without a set is not served by the operation. */
export type Access = {
  readonly granted: ReadonlySet<Scope>
  readonly post: readonly Scope[] | undefined
  readonly reply: readonly Scope[] | undefined
}

/** `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets. */
export function insufficientScope(requiredScopes: ScopeSets): Refusal {
  const alternatives = requiredScopes.map((set) => set.join(' and ')).join(', or ')
  return new Refusal('INSUFFICIENT_SCOPE', `This needs a token with the scopes ${alternatives}.`, { requiredScopes })
}

/** What a token may do by a field of the schema that has one set of scopes for posts and one for replies, or for replies alone. */
export function accessTo(field: string, granted: ReadonlySet<Scope>): Access {
  const sets = fieldScopes[field] ?? []
  return sets.length > 1 ? { granted, post: sets[0], reply: sets[1] } : { granted, post: undefined, reply: sets[0] }
}

/** Whether the operation serves this kind and the token may use it so. */
export function mayUse({ granted, ...sets }: Access, kind: Kind): boolean {
  return sets[kind]?.every((scope) => granted.has(scope)) ?? false
}

/** Throws `NOT_FOUND` for a kind that the operation does not serve, and `INSUFFICIENT_SCOPE` for one that the token may not use. */
export function requireKind(access: Access, kind: Kind): void {
  const set = access[kind]
  if (!set) throw notFound('reply')
  if (!mayUse(access, kind)) throw insufficientScope([set])
}
