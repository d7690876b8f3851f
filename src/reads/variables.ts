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
import type { ExecutableOperation } from './selection.ts'
import { fieldOf } from './selection.ts'

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether the statement differs when the argument is set, rather than only the value of a parameter. */
    changesStatement?: boolean
  }
}

/** An argument in a document. */
type Given = {
  readonly field: GraphQLField<unknown, unknown>
  readonly argument: GraphQLArgument | undefined
  readonly node: ArgumentNode
}

/** The variables that change the text of a statement, not only the values of its parameters: those of conditions, and of arguments that say so. */
export function structuralVariables(executable: ExecutableOperation): readonly string[] {
  return variablesOf(
    executable,
    ({ argument, node }) => node.value.kind === Kind.VARIABLE && argument?.extensions.changesStatement === true,
  )
}

/** The variables in conditions, and in the arguments for which `matters`. */
export function variablesOf(
  { schema, operation, fragments }: Omit<ExecutableOperation, 'variableValues'>,
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
