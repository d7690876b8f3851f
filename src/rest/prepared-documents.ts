import type { Documents } from '../operations/documents.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import type { ScopeSets } from '../scopes.ts'
import type { Operation } from './operation.ts'
import { allOf } from './scope-sets.ts'

/** The prepared documents of an operation, and the scopes that they require together. */
export type PreparedDocuments = {
  readonly operation: PreparedOperation
  readonly lookupOperation: PreparedOperation | undefined
  readonly requiredScopes: ScopeSets
}

/** Prepares the documents of an operation. Throws when one of them does not fit the schema. */
export function prepareDocuments({ document, lookup, scopes }: Operation, documents: Documents): PreparedDocuments {
  const operation = documents.prepare(document.source)
  const lookupOperation = lookup && documents.prepare(lookup.document.source)
  const operations = lookupOperation ? [lookupOperation, operation] : [operation]
  // A token needs one set of each element.
  const requirements = operations.flatMap((each) => each.analyze({}).requirements.map(({ sets }) => sets))
  return { operation, lookupOperation, requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements) }
}
