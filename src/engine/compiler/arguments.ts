import { BREAK, type FieldNode, type GraphQLField, getArgumentValues, Kind, visit } from 'graphql'
import type { VariableValues } from './selection.ts'

/** The arguments of a field, as the types of the schema have them. */
export type Arguments = ReturnType<typeof getArgumentValues>

/**
 * What `work` makes of the arguments of a field, for any variables: worked out once where the document has none there. It holds the
 * arguments alone, never what is selected below the field.
 */
export function fromArguments<T>(
  field: GraphQLField<unknown, unknown>,
  { name, arguments: given = [] }: FieldNode,
  work: (args: Arguments) => T,
): (variables: VariableValues) => T {
  const asking: FieldNode = { kind: Kind.FIELD, name, arguments: given }
  const of = (variables: VariableValues) => work(getArgumentValues(field, asking, variables))
  if (hasVariables(asking)) return of
  const constant = of({})
  return () => constant
}

function hasVariables(node: FieldNode): boolean {
  let found = false
  visit(node, {
    Variable: () => {
      found = true
      return BREAK
    },
  })
  return found
}
