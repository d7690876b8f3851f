import {
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
  const path: string[] = []
  const visitor = visitWithTypeInfo(info, {
    enter: (node) => {
      if (node.kind === Kind.VARIABLE_DEFINITION) path.push(node.variable.name.value)
      else if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) path.push(node.name.value)
      const error = isValueNode(node) ? errorOf.get(node) : undefined
      const type = info.getInputType()
      if (!error || !type) return
      const what = node.kind === Kind.NULL ? required : requirementOf(type, node.kind === Kind.OBJECT)
      if (what !== undefined) described.set(error, invalidValue(error, path.join('.'), what))
    },
    leave: ({ kind }) => {
      if (kind === Kind.VARIABLE_DEFINITION || kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD) path.pop()
    },
  })
  visit(document, visitor)
  return errors.map((error) => described.get(error) ?? documentError('VALIDATION_FAILED', error))
}

/** The error of an invalid value, at the place of another error. It names the value by its path from the argument or variable. */
export function invalidValue(error: GraphQLError, field: string, what: string): GraphQLError {
  const refusal = new Refusal('VALIDATION_FAILED', `The value of ${field} ${what}.`, {
    errors: [{ field, message: what }],
  })
  return graphQLError(refusal, 'operation', error)
}
