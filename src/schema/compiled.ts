import {
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { readAfterWrite } from '../domain/write-outcome.ts'
import { notFound } from '../errors.ts'
import { costOf } from '../reads/cost.ts'
import {
  type ListRead,
  type LookupListRead,
  type LookupRead,
  type OneRead,
  type PageRead,
  type ValueRead,
  version,
} from '../reads/read.ts'
import type { Context } from './context.ts'
import { ResolvedPageInfo } from './pages.ts'

/** Options of a leaf whose read is more than the column of its name. `bytes` is its greatest size, unless its type has one. */
export function value(read: ValueRead, bytes?: number) {
  return { extensions: { read, cost: costOf(read), ...(bytes !== undefined && { bytes }) } }
}

/** Options of a field with the version of its row. */
export const versionOf = value(version, 22)

/** Options of a field whose object, list or page is compiled into the statement of its parent. */
export function nested<T>(read: OneRead | ListRead | PageRead) {
  return { extensions: { read, cost: costOf(read) }, resolve: (): T => unreached() }
}

/** Options of a root field that compiles to a statement of its own. */
export function root<T>(read: OneRead | PageRead | LookupRead | LookupListRead) {
  return {
    extensions: { read, cost: costOf(read) },
    resolve: async (_root: object, _args: object, { reads }: Context, info: GraphQLResolveInfo) =>
      resultAs<T>(await reads.field(info)),
  }
}

/** The payload of a mutation: the objects that were selected, by response key, with fields of its own. */
export type MutationPayload = { readonly selected: object }

/** Options of an object in a payload. Fails with `NOT_FOUND` if it was deleted just after the write. */
export function payloadObject<T>(read: OneRead, what: string) {
  return {
    extensions: { read, cost: costOf(read) },
    resolve: (payload: MutationPayload, _args: object, _context: Context, { path }: GraphQLResolveInfo): T => {
      const row = resultAs<T | null>(Reflect.get(payload.selected, path.key))
      if (row === null) throw notFound(what)
      return row
    },
  }
}

/** Reads the selected objects of a payload after the write. Throws `OUTCOME_UNKNOWN` if the write is done but they cannot be read. */
export async function readPayload<T = object>(
  { reads, isInTransaction }: Context,
  info: GraphQLResolveInfo,
  id: string,
  howToRead: string,
): Promise<T> {
  const read = () => reads.byId(info, id)
  return resultAs<T>(await (isInTransaction ? read() : readAfterWrite(howToRead, read)))
}

/** The result of a compiled statement, as the type that it was compiled for. */
export function resultAs<T>(answer: unknown): T {
  // The only place where JSON gets a type: the statement was compiled from the selection that is being resolved.
  return answer as T
}

/** Compiled objects have the keys of the response. */
const byResponseKey: GraphQLFieldResolver<object, Context> = (source, _args, _context, { path, fieldName }) =>
  Reflect.get(source, source instanceof ResolvedPageInfo ? fieldName : path.key)

/** Gives the fields of entities, and of the parts of their pages, a resolver that takes values from compiled objects. Throws where a field of an entity has no read. */
export function withCompiledObjects(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !isCompiled(type)) continue
    for (const field of Object.values(type.getFields())) {
      if (type.extensions.entity && isCompositeType(getNamedType(field.type)) && !field.extensions.read)
        throw new TypeError(`${type.name}.${field.name} has no read`)
      field.resolve = byResponseKey
    }
  }
  return schema
}

function isCompiled(type: unknown): boolean {
  if (!isObjectType(type)) return isInterfaceType(type) && type.extensions.entity !== undefined
  if (type.extensions.entity) return true
  const fields = Object.values(type.getFields())
  if (fields.some(({ extensions }) => extensions.connectionPart === 'hasNextPage')) return true
  const leadsToNode = fields.find(
    ({ extensions: { connectionPart } }) => connectionPart === 'node' || connectionPart === 'edges',
  )
  return leadsToNode !== undefined && isCompiled(getNamedType(leadsToNode.type))
}

function unreached(): never {
  throw new TypeError('A compiled field was resolved on its own')
}
