import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLField,
  type GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLSchema,
  isEnumType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { Arguments } from '../reads/arguments.ts'
import { fieldScopes, type ScopeSets, scopeEnumName, scopes } from '../scopes.ts'
import { builder } from './builder.ts'

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    requiredScopes?: ScopeSets
    /** The scopes that its arguments make it need, each with a name of its own. */
    scopesAsked?: (args: Arguments) => ReadonlyMap<string, ScopeSets>
  }
}

/** The scopes as the schema names them. */
export const ScopeEnum = builder.enumType('Scope', {
  description: 'A permission that a token carries (interface, section 5).',
  values: Object.fromEntries(
    scopes.map((value) => [scopeEnumName(value), { value, description: `\`${value}\` in REST.` }]),
  ),
})

function scopesOf(
  type: GraphQLObjectType | GraphQLInterfaceType,
  field: GraphQLField<unknown, unknown>,
): ScopeSets | undefined {
  const owner = [type, ...type.getInterfaces()].find(({ name }) => `${name}.${field.name}` in fieldScopes)
  return owner && fieldScopes[`${owner.name}.${field.name}`]
}

/** The schema with the scopes of its fields, for the check before execution, and as `@requiresScopes` for readers. Throws when the table names a field that is not there. */
export function withScopes(schema: GraphQLSchema): GraphQLSchema {
  const unknown = new Set(Object.keys(fieldScopes))
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const requiredScopes = scopesOf(type, field)
      unknown.delete(`${type.name}.${field.name}`)
      if (requiredScopes) {
        field.extensions = {
          ...field.extensions,
          requiredScopes,
          directives: { requiresScopes: { scopes: requiredScopes } },
        }
      }
    }
  }
  if (unknown.size > 0)
    throw new TypeError(`The scope table names fields that the schema has not: ${[...unknown].join(', ')}`)
  const scopeType = schema.getType('Scope')
  if (!isEnumType(scopeType)) throw new TypeError('The schema has no enum of scopes')
  const set = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(scopeType)))
  const sets = new GraphQLNonNull(new GraphQLList(set))
  const requiresScopes = new GraphQLDirective({
    name: 'requiresScopes',
    description:
      'The scopes that the token needs for this field: one of the sets (outer list: or) with all in it (inner list: and).',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { scopes: { type: sets, description: 'Alternative sets.' } },
  })
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, directives: [...config.directives, requiresScopes] })
}
