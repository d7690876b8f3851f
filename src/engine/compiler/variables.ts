import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLField,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { ExecutableOperation } from './selection.ts'

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** Whether the statement differs when the argument is set, rather than only the value of a parameter. */
    changesStatement?: boolean
  }
}

/** An argument in a document. */
type Given = {
  readonly field: GraphQLField<unknown, unknown>
  readonly argument: GraphQLArgument | null | undefined
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
  const types = new TypeInfo(schema)
  const visitor = visitWithTypeInfo(types, {
    Argument: (node) => {
      const [field, argument] = [types.getFieldDef(), types.getArgument()]
      if (types.getDirective() || (field && matters({ field, argument, node })))
        visit(node, { Variable: ({ name }) => void names.add(name.value) })
    },
  })
  for (const node of [operation, ...Object.values(fragments)]) visit(node, visitor)
  return [...names]
}
