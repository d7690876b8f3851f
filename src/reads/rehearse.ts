import {
  type GraphQLCompositeType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import { Room } from './room.ts'
import { type Selected, Selection, setsOf } from './selection.ts'
import { Composer } from './statement.ts'
import type { Call } from './variants.ts'

/**
 * Composes all that the resolvers of an operation may read, before any of them runs: a mutation is not to be refused after its write.
 * Throws `VALIDATION_FAILED` when there is no room for it.
 */
export function rehearse(call: Call): void {
  const { schema, operation } = call
  const root = schema.getRootType(operation.operation)
  const selection = new Selection(call)
  const room = new Room()
  const composer = () => new Composer(call, { tellsTypes: true }, room)

  const resolve = (type: GraphQLObjectType, sets: readonly SelectionSetNode[]) => {
    for (const selected of selection.fields(type, sets).values()) {
      if (!selected.field.extensions.read) lookUp(selected)
      // Below a root, what has a read is composed with its object.
      else if (type === root) composer().fields([selected])
    }
  }
  const lookUp = ({ field, nodes }: Selected) => {
    const named = getNamedType(field.type)
    if (!isCompositeType(named) || isIntrospectionType(named)) return
    for (const type of possibleTypes(named)) {
      composer().byId(type, nodes)
      if (!type.extensions.entity) resolve(type, setsOf(nodes))
    }
  }
  const possibleTypes = (type: GraphQLCompositeType) => (isObjectType(type) ? [type] : schema.getPossibleTypes(type))

  if (root) resolve(root, [operation.selectionSet])
}
