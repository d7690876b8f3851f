import type { GraphQLResolveInfo } from 'graphql'
import type { ExecutableOperation } from './selection.ts'

/**
 * The root value of an execution. It carries the whole operation, of which only some root fields may be executed, with its variables as
 * they were checked, so that nothing is decoded from them again, and what the operation costs.
 */
export class ExecutionRoot {
  readonly executable: ExecutableOperation
  readonly cost: number

  constructor(executable: ExecutableOperation, cost: number) {
    this.executable = executable
    this.cost = cost
  }
}

/** The operation that a resolver runs in, with its checked variables. */
export function operationOf(info: GraphQLResolveInfo): ExecutableOperation {
  return info.rootValue instanceof ExecutionRoot ? info.rootValue.executable : info
}

/** The cost of the operation that a resolver runs in. */
export function costOfExecution({ rootValue }: GraphQLResolveInfo): number {
  if (rootValue instanceof ExecutionRoot) return rootValue.cost
  throw new TypeError('This execution has no cost')
}
