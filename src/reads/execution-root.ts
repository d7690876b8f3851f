import type { GraphQLResolveInfo } from 'graphql'

type Variables = GraphQLResolveInfo['variableValues']

/**
 * The root value of an execution. It carries the variables as they were checked, so that nothing is decoded from them again, and what
 * the operation costs.
 */
export class ExecutionRoot {
  readonly variableValues: Variables
  readonly cost: number

  constructor(variableValues: Variables, cost: number) {
    this.variableValues = variableValues
    this.cost = cost
  }
}

/** The checked variables of the execution that a resolver runs in. */
export function checkedVariables({ rootValue, variableValues }: GraphQLResolveInfo): Variables {
  return rootValue instanceof ExecutionRoot ? rootValue.variableValues : variableValues
}

/** The cost of the operation that a resolver runs in. */
export function costOfExecution({ rootValue }: GraphQLResolveInfo): number {
  if (rootValue instanceof ExecutionRoot) return rootValue.cost
  throw new TypeError('This execution has no cost')
}
