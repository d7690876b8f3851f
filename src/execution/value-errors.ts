import {
  type ASTNode,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isScalarType,
  isValueNode,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { Refusal } from '../errors.ts'
import { documentError, graphQLError } from './mask.ts'

declare module 'graphql' {
  interface GraphQLScalarTypeExtensions {
    /** What a value must be, such as "must be a UUID". */
    requirement?: string
  }
}

const builtIn = new Map([
  ['String', 'must be a string'],
  ['ID', 'must be a string'],
  ['Boolean', 'must be true or false'],
  ['Int', 'must be a 32-bit whole number'],
  ['Float', 'must be a finite number'],
])

/** The names of an argument or variable and of fields, and the indexes of list items, that lead to a value. */
export type Path = readonly (string | number)[]

/** A path as the caller would write it, such as `input.scopes[0]`. */
export function fieldAt(path: Path): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')
}

/** What is wrong with null. */
export const required = 'is required'

/** What an invalid value must be. Undefined if it is an object of the right kind, whose fields are wrong. */
export function requirementOf(type: GraphQLInputType, isObject: boolean): string | undefined {
  const named = getNamedType(type)
  if (isInputObjectType(named)) return isObject ? undefined : 'must be an object'
  if (isEnumType(named)) return `must be a value of ${named.name}`
  return isScalarType(named) ? (named.extensions.requirement ?? builtIn.get(named.name)) : undefined
}

/** The errors of an invalid document. Those of values say where the value is and what it must be. */
export function documentErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  const errorOf = new Map(errors.map((error) => [error.nodes?.length === 1 ? error.nodes[0] : undefined, error]))
  const described = new Map<GraphQLError, GraphQLError>()
  const info = new TypeInfo(schema)
  const path: (string | number)[] = []
  const visitor = visitWithTypeInfo(info, {
    enter: (node, key) => {
      const step = stepTo(node, key)
      if (step !== undefined) path.push(step)
      const error = isValueNode(node) ? errorOf.get(node) : undefined
      const type = info.getInputType()
      if (!error || !type) return
      const what = node.kind === Kind.NULL ? required : requirementOf(type, node.kind === Kind.OBJECT)
      if (what !== undefined) described.set(error, invalidValue(error, fieldAt(path), what))
    },
    leave: (node, key) => {
      if (stepTo(node, key) !== undefined) path.pop()
    },
  })
  visit(document, visitor)
  return errors.map((error) => described.get(error) ?? documentError('VALIDATION_FAILED', error))
}

/** What a node of a document adds to the path of the values in it. Of all values, only list items have an index as their key. */
function stepTo(node: ASTNode, key: string | number | undefined): string | number | undefined {
  if (node.kind === Kind.VARIABLE_DEFINITION) return node.variable.name.value
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) return node.name.value
  return isValueNode(node) && typeof key === 'number' ? key : undefined
}

/** The error of an invalid value, at the place of another error. It names the value by its path from the argument or variable. */
export function invalidValue(error: GraphQLError, field: string, what: string): GraphQLError {
  const refusal = new Refusal('VALIDATION_FAILED', `The value of ${field} ${what}.`, {
    errors: [{ field, message: what }],
  })
  return graphQLError(refusal, 'operation', error)
}
