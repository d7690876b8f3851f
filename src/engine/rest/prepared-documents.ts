import type { Use } from '../auth/viewers.ts'
import type { Documents } from '../execution/documents.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { Scope, ScopeSets } from '../scopes.ts'
import { type Extent, textOf } from './graphql.ts'
import type { Operation, RestInterface } from './operation.ts'

/** The prepared documents of an operation, and the scopes that they require together. */
type PreparedDocuments = {
  readonly operation: PreparedOperation
  /** What finds the uuid of the object that the path names. */
  readonly find: PreparedOperation | undefined
  readonly requiredScopes: ScopeSets
  /** What a restriction of the viewer has to permit. */
  readonly uses: readonly Use[]
  /** Whether only a token can run them. */
  readonly needsToken: boolean
  /** Whether the operation takes or returns a password or a token, so that its result is never stored. */
  readonly handlesSecrets: boolean
}

/** Prepares the documents of an operation. Those of full views require the same scopes. */
export function prepareDocuments(
  { parameters }: Pick<RestInterface, 'parameters'>,
  { method, path, document, scopes }: Operation,
  documents: Documents,
  extent: Extent = { isFull: false },
): PreparedDocuments {
  const operation = documents.prepare(textOf(document, extent))
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? []
  const source = method === 'GET' ? undefined : parameters[name]?.find
  const find = source === undefined ? undefined : documents.prepare(source)
  const operations = find ? [find, operation] : [operation]
  const analyses = operations.map((each) => each.analyze({ ...each, variableValues: {} }))
  // A token needs one set of each element.
  const requirements = analyses.flatMap(({ requirements }) => requirements.map(({ sets }) => sets))
  return {
    operation,
    find,
    requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements),
    uses: analyses.flatMap(({ uses }) => uses),
    needsToken: analyses.some(({ needsToken }) => needsToken),
    handlesSecrets: analyses.some(({ roots }) => roots.some(([, { field }]) => field.extensions.handlesSecrets)),
  }
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
