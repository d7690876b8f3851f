import {
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLField,
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

const argument = ({ name, type }: GraphQLArgument) => `(${name}: ${type})`

function factsOfFields(name: string, fields: readonly GraphQLField<unknown, unknown>[]): string[] {
  return fields.flatMap((field) => [
    `${name}.${field.name}: ${field.type}`,
    ...field.args.map((arg) => `${name}.${field.name}${argument(arg)}`),
  ])
}

function factsOfType(type: GraphQLNamedType): string[] {
  const { name } = type
  if (isEnumType(type)) return type.getValues().map((value) => `enum ${name}.${value.name}`)
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    return [`input ${name}, one of: ${type.isOneOf}`, ...fields.map((it) => `input ${name}.${it.name}: ${it.type}`)]
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [`scalar ${name}`]
  const interfaces = type.getInterfaces()
  return [
    `${isObjectType(type) ? 'type' : 'interface'} ${name}`,
    ...interfaces.map((it) => `${name} implements ${it.name}`),
    ...[type, ...interfaces].flatMap((it) => factsOfFields(name, Object.values(it.getFields()))),
  ]
}

/** The facts of a schema that clients rely on, one for each line. Types include the fields of their interfaces. */
export function factsOf(schema: GraphQLSchema): string[] {
  return [
    ...ownTypes(schema).flatMap(factsOfType),
    ...ownDirectives(schema).flatMap(({ name, args, locations }) => [
      `@${name} on ${locations.toSorted().join(' ')}`,
      ...args.map((arg) => `@${name}${argument(arg)}`),
    ]),
  ]
}
