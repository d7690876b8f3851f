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
import type { Operation } from '../operation.ts'
import type { Json } from './json.ts'

/** The GraphQL types of the components that have another name. */
const types: Readonly<Record<string, string>> = { Author: 'User', OwnUser: 'User', Parent: 'Reply', Post: 'Reply' }

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
export function fieldOf(schema: GraphQLSchema, component: string, property: string) {
  const type = schema.getType(types[component] ?? component)
  const name = fields[property] ?? property.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return isObjectType(type) ? type.getFields()[name] : undefined
}

type Reason = string | null | undefined

/** The deprecation reasons that concern an operation: of its root field, and of its body fields by name. */
export function deprecationsOf(schema: GraphQLSchema, { document }: Operation) {
  const info = new TypeInfo(schema)
  const fields = new Map<string, Reason>()
  const root: Reason[] = []
  const note = (value: ValueNode, reason: Reason) => {
    if (value.kind === Kind.VARIABLE) fields.set(value.name.value, reason)
  }
  const visitor = visitWithTypeInfo(info, {
    Field: () => void root.push(info.getFieldDef()?.deprecationReason),
    Argument: ({ value }) => note(value, info.getArgument()?.deprecationReason),
    ObjectField: ({ name, value }) => {
      const type = getNamedType(info.getParentInputType())
      if (isInputObjectType(type)) note(value, type.getFields()[name.value]?.deprecationReason)
    },
  })
  visit(parse(document.source), visitor)
  return { root: root[0], fields }
}

/** A copy that is marked as deprecated when there is a reason. */
export function markedAs(reason: Reason, schema: Json): Json {
  if (!reason) return schema
  const { description = '' } = schema
  return { ...schema, description: `${description} Deprecated: ${reason}`.trim(), deprecated: true }
}
