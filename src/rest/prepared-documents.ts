import type { Executor } from '../execution/executor.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
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
export function prepareDocuments({ document, lookup, scopes }: Operation, executor: Executor): PreparedDocuments {
  const operation = executor.prepare(document.source)
  const lookupOperation = lookup && executor.prepare(lookup.document.source)
  const operations = lookupOperation ? [lookupOperation, operation] : [operation]
  const requirements = operations.flatMap((each) => executor.requiredScopes(each))
  return { operation, lookupOperation, requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements) }
}
