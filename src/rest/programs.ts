import type { Executor } from '../execution/executor.ts'
import type { Program } from '../execution/program.ts'
import type { ScopeSets } from '../scopes.ts'
import type { Route } from './route.ts'
import { allOf } from './scope-sets.ts'

/** The documents of a row of the route table, ready to be run, and the scopes that they need together. */
export type Programs = {
  readonly operation: Program
  readonly lookupOperation: Program | undefined
  readonly requiredScopes: ScopeSets
}

/** Prepares the documents of a row of the route table. Throws when one of them does not fit the schema. */
export function preparePrograms({ document, lookup, scopes }: Route, executor: Executor): Programs {
  const operation = executor.prepare(document.source)
  const lookupOperation = lookup && executor.prepare(lookup.document.source)
  const operations = lookupOperation ? [lookupOperation, operation] : [operation]
  const requirements = operations.flatMap((each) => executor.requiredScopes(each))
  return { operation, lookupOperation, requiredScopes: allOf(scopes ? [...requirements, scopes] : requirements) }
}
