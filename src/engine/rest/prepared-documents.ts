import type { Documents } from '../execution/documents.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import type { RestInterface } from './interface.ts'
import type { Operation } from './operation.ts'

/** The prepared documents of an operation, and the scopes that they require together. */
type PreparedDocuments = {
  readonly operation: PreparedOperation
  /** What finds the uuid of the object that the path names. */
  readonly find: PreparedOperation | undefined
  readonly requiredScopes: ScopeSets
}

/** Prepares the documents of an operation. */
export function prepareDocuments(
  { parameters }: Pick<RestInterface, 'parameters'>,
  { method, path, document, scopes }: Operation,
  documents: Documents,
): PreparedDocuments {
  const operation = documents.prepare(document.source)
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? []
  const source = method === 'GET' ? undefined : parameters[name]?.find
  const find = source === undefined ? undefined : documents.prepare(source)
  const operations = find ? [find, operation] : [operation]
  // A token needs one set of each element.
  const requirements = operations.flatMap((each) =>
    each.analyze({ ...each, variableValues: {} }).requirements.map(({ sets }) => sets),
  )
  return { operation, find, requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements) }
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
