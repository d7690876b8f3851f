import {
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import type { JsonSchema } from './tool.ts'

/** The scalars of GraphQL that are no strings in JSON. */
const jsonTypes: ReadonlyMap<string, string> = new Map([
  ['Int', 'integer'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
])

/** The JSON Schema of the variables of an operation, with their descriptions. */
export function variablesSchema(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): JsonSchema {
  const variables = variableDefinitions.flatMap(({ variable, type: node, defaultValue, description }) => {
    const type = typeFromAST(schema, node)
    if (!isInputType(type)) return []
    return {
      name: variable.name.value,
      type,
      isRequired: isNonNullType(type) && !defaultValue,
      description: description?.value,
    }
  })
  return objectSchema(variables)
}

type Property = {
  readonly name: string
  readonly type: GraphQLInputType
  readonly isRequired: boolean
  readonly description: string | null | undefined
}

function objectSchema(properties: readonly Property[]): JsonSchema {
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map(({ name, type, description }) => [
        name,
        { ...typeSchema(type), ...(description && { description }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The JSON Schema of a type. No input of the schema contains itself. */
function typeSchema(type: GraphQLInputType): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType)
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType) }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type))
    return {
      type: jsonTypes.get(type.name) ?? 'string',
      ...(type.extensions.requirement && { description: type.description }),
    }
  const fields = Object.values(type.getFields()).map(({ name, type: of, defaultValue, description }) => ({
    name,
    type: of,
    isRequired: isNonNullType(of) && defaultValue === undefined,
    description,
  }))
  return { ...objectSchema(fields), ...(type.isOneOf && { minProperties: 1, maxProperties: 1 }) }
}
