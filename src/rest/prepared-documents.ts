import type { Documents } from '../execution/documents.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import type { Operation } from './operation.ts'

/** The prepared documents of an operation, and the scopes that they require together. */
type PreparedDocuments = {
  readonly operation: PreparedOperation
  readonly findUser: PreparedOperation | undefined
  readonly requiredScopes: ScopeSets
}

/** Prepares the documents of an operation. */
export function prepareDocuments(
  { method, path, document, scopes }: Operation,
  documents: Documents,
): PreparedDocuments {
  const operation = documents.prepare(document.source)
  // Mutations take the uuid of a user only.
  const findsUser = method !== 'GET' && path.includes('{user}')
  const findUser = findsUser
    ? documents.prepare('query FindUser($user: UserBy!) { user(by: $user) { uuid } }')
    : undefined
  const operations = findUser ? [findUser, operation] : [operation]
  // A token needs one set of each element.
  const requirements = operations.flatMap((each) =>
    each.analyze({ ...each, variableValues: {} }).requirements.map(({ sets }) => sets),
  )
  return { operation, findUser, requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements) }
}

/** The minimal alternative sets that satisfy all requirements. */
function allOf(requirements: readonly ScopeSets[]): ScopeSets {
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
