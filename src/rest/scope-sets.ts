import { Refusal } from '../errors.ts'
import { type Scope, type ScopeSets, satisfies } from '../scopes.ts'

/** The alternative sets that satisfy every one of the requirements, without those that hold another of them. */
export function allOf(requirements: readonly ScopeSets[]): ScopeSets {
  let sets: ReadonlySet<Scope>[] = [new Set()]
  for (const requirement of requirements) {
    const combined = sets.flatMap((set) => requirement.map((more) => new Set([...set, ...more])))
    sets = combined.filter(
      (set, index) =>
        !combined.some(
          (other, at) => [...other].every((scope) => set.has(scope)) && (other.size < set.size || at < index),
        ),
    )
  }
  return sets.map((set) => [...set])
}

/**
 * Refuses a token that satisfies none of the sets.
 *
 * @throws the refusal `INSUFFICIENT_SCOPE`
 */
export function demandScopes(granted: ReadonlySet<Scope>, requiredScopes: ScopeSets): void {
  if (satisfies(granted, requiredScopes)) return
  const sets = requiredScopes.map((set) => set.join(' and ')).join(', or ')
  throw new Refusal('INSUFFICIENT_SCOPE', `The token needs the scopes ${sets}.`, { requiredScopes })
}
