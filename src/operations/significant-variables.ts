import { getNamedType, isIntrospectionType, type OperationDefinitionNode } from 'graphql'
import type { ExecutableOperation } from '../reads/selection.ts'
import { variablesOf } from '../reads/variables.ts'

/** Whether a variable that has a default may be sent as null although its argument does not accept null. */
export function mayLackArguments({ variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return variableDefinitions.some(({ type, defaultValue }) => defaultValue && type.kind !== 'NonNullType')
}

/** The names of the variables that change the analysis of an operation. Cursors do not: they are checked on every run. */
export function significantVariables(executable: Omit<ExecutableOperation, 'variableValues'>): readonly string[] {
  const mayLack = mayLackArguments(executable.operation)
  return variablesOf(executable, ({ field, argument }) => {
    if (argument?.extensions.isCursor) return false
    const { cost, isQuote = false } = field.extensions
    return mayLack || isQuote || cost?.asks !== undefined || isIntrospectionType(getNamedType(field.type))
  })
}
