import { scopeEnumName } from '../../engine/scopes.ts'
import { builder } from './builder.ts'
import { scopes } from './scopes.ts'

/** The scopes as an enum of the schema. */
export const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission of a token.',
  values: Object.fromEntries(
    scopes.map((value) => [scopeEnumName(value), { value, description: `\`${value}\` in REST.` }]),
  ),
})
