import {
  type ArgumentNode,
  type ConstArgumentNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  getNamedType,
  isCompositeType,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { fieldOf } from './selection.ts'
import type { Call } from './variants.ts'

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether it makes another statement, rather than another value of one, that the argument is given. */
    switches?: boolean
  }
}

/** An argument of a field as a document gives it. */
type Given = {
  readonly field: GraphQLField<unknown, unknown>
  readonly argument: GraphQLArgument | undefined
  readonly node: ArgumentNode
}

/** The variables that change which rows are read, not only their values: conditions, and arguments that say so. */
export function switchesOf(call: Call): readonly string[] {
  return variablesOf(
    call,
    ({ argument, node }) => node.value.kind === Kind.VARIABLE && argument?.extensions.switches === true,
  )
}

/** The variables in conditions, and in the arguments for which `matters`. */
export function variablesOf(
  { schema, operation, fragments }: Omit<Call, 'variableValues'>,
  matters: (given: Given) => boolean,
): readonly string[] {
  const names = new Set<string>()
  const add = (node: ArgumentNode | ConstArgumentNode) =>
    void visit(node, { Variable: ({ name }) => void names.add(name.value) })

  const read = (type: GraphQLCompositeType, { selections }: SelectionSetNode) => {
    for (const node of selections) {
      for (const directive of node.directives ?? []) directive.arguments?.forEach(add)
      if (node.kind === Kind.FIELD) {
        const field = fieldOf(type, node.name.value)
        for (const given of node.arguments ?? []) {
          const argument = field?.args.find(({ name }) => name === given.name.value)
          if (field && matters({ field, argument, node: given })) add(given)
        }
        const to = field && getNamedType(field.type)
        if (node.selectionSet && isCompositeType(to)) read(to, node.selectionSet)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const on = node.typeCondition ? schema.getType(node.typeCondition.name.value) : type
        if (isCompositeType(on)) read(on, node.selectionSet)
      }
    }
  }

  const root = schema.getRootType(operation.operation)
  if (root) read(root, operation.selectionSet)
  for (const { typeCondition, selectionSet } of Object.values(fragments)) {
    const on = schema.getType(typeCondition.name.value)
    if (isCompositeType(on)) read(on, selectionSet)
  }
  return [...names]
}
