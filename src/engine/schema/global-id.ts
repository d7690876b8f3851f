import { type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'
import { invalid } from '../errors.ts'
import type { ScopesBySubject } from '../scopes.ts'
import { isUuid } from './scalars.ts'

declare module 'graphql' {
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    /** What a token must permit to find an object of this type by its global id. A type without it has no global ids. */
    nodePermission?: ScopesBySubject
  }
}

/** A type of the schema and the UUID of one of its objects. */
export type GlobalId = { readonly type: GraphQLObjectType; readonly uuid: string }

const decodedForm = /^([A-Za-z]+):([0-9a-f-]{36})$/

/** The opaque global id of an object (GraphQL Global Object Identification). */
function encodeGlobalId(type: string, uuid: string): string {
  return Buffer.from(`${type}:${uuid}`).toString('base64')
}

/** Decodes a global id. Throws `VALIDATION_FAILED`, naming `field`, for anything that `encodeGlobalId` never returned. */
export function decodeGlobalId(id: string, field: string, schema: GraphQLSchema): GlobalId {
  const [, name = '', uuid = ''] = decodedForm.exec(Buffer.from(id, 'base64').toString('latin1')) ?? []
  const type = schema.getType(name)
  const isKnown = isObjectType(type) && type.extensions.nodePermission && isUuid(uuid)
  if (!isKnown || encodeGlobalId(name, uuid) !== id) throw invalid({ field, message: 'is not a global id' })
  return { type, uuid }
}

/** The UUID in the `id` of an input. Throws `VALIDATION_FAILED` unless it is of an object of this type. */
export function uuidIn({ id }: { readonly id: string | number }, typeName: string, schema: GraphQLSchema): string {
  const { type, uuid } = decodeGlobalId(String(id), 'id', schema)
  if (type.name !== typeName) throw invalid({ field: 'id', message: `must be the id of an ${typeName}` })
  return uuid
}
