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
import type { RestDocument } from '../documents.ts'
import type { ObjectSchema, Schema } from './json-schema.ts'

/** The GraphQL types that the objects of the interface stand for. A reply has every field of a post. */
const types: Readonly<Record<string, string>> = {
  Badge: 'Badge',
  Application: 'Application',
  Author: 'User',
  User: 'User',
  OwnUser: 'User',
  Parent: 'Reply',
  Post: 'Reply',
  Reply: 'Reply',
}

/** The GraphQL fields of those properties that are not called alike. */
const fields: Readonly<Record<string, string>> = {
  badge: 'badges',
  follow_count: 'followerCount',
  has_followed: 'viewerIsFollowing',
  joined: 'joinedAt',
  has_liked: 'viewerHasLiked',
  lock: 'locked',
}

/** The GraphQL field that a property of a component stands for, such as `Reply.likeCount`; undefined when there is none. */
export function fieldOf(schema: GraphQLSchema, component: string, property: string) {
  const type = schema.getType(types[component] ?? '')
  const name = fields[property] ?? property.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return isObjectType(type) ? type.getFields()[name] : undefined
}

/** What the schema deprecates of what a document asks for: the reason for a field of its root, and for variables by name. */
export function deprecationsOf(schema: GraphQLSchema, { source }: Pick<RestDocument<unknown>, 'source'>) {
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

/** The same, marked as deprecated when there is a reason. */
export function markedAs(reason: string | null | undefined, schema: Schema): Schema {
  if (!reason) return schema
  const { description = '' } = schema
  return { ...schema, description: `${description} Deprecated: ${reason}`.trim(), deprecated: true }
}

/** An object whose properties are marked for which there is a reason. */
export function withMarkedProperties(
  object: ObjectSchema,
  reason: (property: string) => string | null | undefined,
): ObjectSchema {
  const marked = Object.entries(object.properties).map(([name, schema]) => [name, markedAs(reason(name), schema)])
  return { ...object, properties: Object.fromEntries(marked) }
}
