import type { Scope, ScopeSets } from '../scopes.ts'

/** The minimal alternative sets that satisfy all requirements. */
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
