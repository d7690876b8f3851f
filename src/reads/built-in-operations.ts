import type { OperationDefinitionNode } from 'graphql'

const own = new WeakSet<OperationDefinitionNode>()

/** Notes an operation of the program's own, whose statements stay prepared whatever clients send. */
export function markBuiltIn(operation: OperationDefinitionNode): void {
  own.add(operation)
}

/** Whether an operation is one of the program's own. */
export function isBuiltIn(operation: OperationDefinitionNode): boolean {
  return own.has(operation)
}
