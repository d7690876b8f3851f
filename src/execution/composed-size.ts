import { type GraphQLCompositeType, getNamedType, isCompositeType, type SelectionSetNode } from 'graphql'
import { type Operation, Selection, setsOf } from '../reads/selection.ts'

/** How many fields the statements of an operation have at most. */
export const maxComposed = 2_000

/**
 * How many fields the statements of an operation have: as many as are selected with fragments inlined, where those of an interface
 * count for each of its types that is asked for something else. Stops counting beyond `maxComposed`.
 */
export function composedSize(operation: Operation, root: GraphQLCompositeType, set: SelectionSetNode): number {
  const selection = new Selection(operation)
  let size = 0
  const count = (type: GraphQLCompositeType, sets: readonly SelectionSetNode[]) => {
    for (const { fields } of selection.variants(type, sets)) {
      for (const { field, nodes } of fields.values()) {
        if (size > maxComposed) return
        size += 1
        const within = getNamedType(field.type)
        if (isCompositeType(within)) count(within, setsOf(nodes))
      }
    }
  }
  count(root, [set])
  return size
}
