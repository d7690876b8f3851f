import {
  type GraphQLDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'

/** An element of a schema that can have a description. */
export type Element = { readonly name: string; readonly description: string | null | undefined }

function ownTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
}

function ownDirectives(schema: GraphQLSchema): readonly GraphQLDirective[] {
  return schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive))
}

function within(parent: string, children: readonly Element[]): Element[] {
  return children.map(({ name, description }) => ({ name: `${parent}.${name}`, description }))
}

function partsOf(type: GraphQLNamedType): Element[] {
  if (isEnumType(type)) return within(type.name, type.getValues())
  if (isInputObjectType(type)) return within(type.name, Object.values(type.getFields()))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const fields = Object.values(type.getFields())
  return [...within(type.name, fields), ...fields.flatMap(({ name, args }) => within(`${type.name}.${name}`, args))]
}

/** Every type, field, argument, enum value and directive of a schema, without GraphQL's own. */
export function elementsOf(schema: GraphQLSchema): Element[] {
  return [
    ...ownTypes(schema).flatMap((type) => [type, ...partsOf(type)]),
    ...ownDirectives(schema).flatMap((directive) => [directive, ...within(`@${directive.name}`, directive.args)]),
  ]
}
