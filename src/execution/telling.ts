import { getNamedType, isIntrospectionType, type OperationDefinitionNode } from 'graphql'
import { variablesOf } from '../reads/variables.ts'
import type { Call } from '../reads/variants.ts'

/** Whether a variable with a default may be sent as null where null may not stand. */
export function mayLackArguments({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return variableDefinitions.some(({ type, defaultValue }) => defaultValue && type.kind !== 'NonNullType')
}

/** The names of the variables that make a difference to what an operation asks for. */
export function tellingVariables(call: Omit<Call, 'variableValues'>): readonly string[] {
  const { operation } = call
  if (mayLackArguments(operation))
    return (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
  return variablesOf(
    call,
    ({ field }) => field.extensions.cost?.asks !== undefined || isIntrospectionType(getNamedType(field.type)),
  )
}
