import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
} from 'graphql'
import type { Operation } from '../operation.ts'
import type { Json } from './json.ts'

/** The GraphQL types of the components that have another name. */
const types: Readonly<Record<string, string>> = {
  Author: 'User',
  OwnUser: 'User',
  Parent: 'Reply',
  Post: 'Reply',
  SendPostBody: 'SendPostInput',
  SendReplyBody: 'SendReplyInput',
  UpdatePostBody: 'UpdatePostInput',
  UpdateReplyBody: 'UpdatePostInput',
}

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
  return isObjectType(type) || isInputObjectType(type) ? type.getFields()[name] : undefined
}

/** The GraphQL field that an operation runs. */
export function rootFieldOf(schema: GraphQLSchema, { document }: Operation) {
  const { operation, selectionSet } = getOperationAST(parse(document.source)) ?? {}
  const selection = selectionSet?.selections[0]
  if (!operation || selection?.kind !== Kind.FIELD) return undefined
  return schema.getRootType(operation)?.getFields()[selection.name.value]
}

/** A copy that is marked as deprecated when the GraphQL field that it stands for is. */
export function markedLike(
  field: GraphQLField<unknown, unknown> | GraphQLInputField | undefined,
  described: Json,
): Json {
  if (!field?.deprecationReason) return described
  const description = `${described.description ?? ''} Deprecated: ${field.deprecationReason}`.trim()
  return { ...described, description, deprecated: true }
}
