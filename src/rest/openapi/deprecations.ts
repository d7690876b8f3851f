import {
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { TypedDocument } from '../graphql.ts'
import type { Component } from '../schemas/components.ts'
import type { ObjectSchema, Schema } from '../schemas/json-schema.ts'

/** The GraphQL fields of the properties that have another name. */
const fields: Readonly<Record<string, string>> = {
  badge: 'badges',
  follow_count: 'followerCount',
  has_followed: 'viewerIsFollowing',
  joined: 'joinedAt',
  has_liked: 'viewerHasLiked',
  lock: 'locked',
}

/** The GraphQL field of a component's property, such as `Reply.likeCount`, if any. */
export function fieldOf(schema: GraphQLSchema, { graphqlType }: Component, property: string) {
  const type = graphqlType === undefined ? undefined : schema.getType(graphqlType)
  const name = fields[property] ?? property.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return isObjectType(type) ? type.getFields()[name] : undefined
}

/** The deprecation reasons that concern a document: of its root field, and of its variables by name. */
export function deprecationsOf(schema: GraphQLSchema, { source }: TypedDocument<unknown>) {
  const info = new TypeInfo(schema)
  const variables = new Map<string, string>()
  let operation: string | undefined
  const note = (value: ValueNode, reason: string | null | undefined) => {
    if (value.kind === Kind.VARIABLE && reason) variables.set(value.name.value, reason)
  }
  const visitor = visitWithTypeInfo(info, {
    Field: () => {
      const parent = info.getParentType()
      const isRoot = parent === schema.getQueryType() || parent === schema.getMutationType()
      if (isRoot) operation ??= info.getFieldDef()?.deprecationReason ?? undefined
    },
    Argument: ({ value }) => note(value, info.getArgument()?.deprecationReason),
    ObjectField: ({ name, value }) => {
      const type = getNamedType(info.getParentInputType())
      if (isInputObjectType(type)) note(value, type.getFields()[name.value]?.deprecationReason)
    },
  })
  visit(parse(source), visitor)
  return { operation, variables }
}

/** A copy that is marked as deprecated when there is a reason. */
export function markedAs(reason: string | null | undefined, schema: Schema): Schema {
  if (!reason) return schema
  const { description = '' } = schema
  return { ...schema, description: `${description} Deprecated: ${reason}`.trim(), deprecated: true }
}

/** A copy whose properties are marked as deprecated when there is a reason. */
export function withMarkedProperties(
  object: ObjectSchema,
  reason: (property: string) => string | null | undefined,
): ObjectSchema {
  const marked = Object.entries(object.properties).map(([name, schema]) => [name, markedAs(reason(name), schema)])
  return { ...object, properties: Object.fromEntries(marked) }
}
