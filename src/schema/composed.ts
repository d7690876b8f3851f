import {
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import { readingBack } from '../domain/writing.ts'
import { notFound } from '../errors.ts'
import { costOf } from '../reads/cost.ts'
import type { FindRead, ListRead, OneRead, PageRead, ValueRead } from '../reads/read.ts'
import type { Context } from './context.ts'
import { PageFacts } from './pages.ts'

/** Options of a leaf that is read as more than the column of its name; `bytes` where its type does not say how long it can be. */
export function value(read: ValueRead, bytes?: number) {
  return { extensions: { read, cost: costOf(read), ...(bytes !== undefined && { bytes }) } }
}

/** Options of what stands in its parent's object: another object, a list, or a page. */
export function nested<T>(read: OneRead | ListRead | PageRead) {
  return { extensions: { read, cost: costOf(read) }, resolve: (): T => unreached() }
}

/** Options of a root that is a statement of its own. */
export function root<T>(read: OneRead | PageRead | FindRead) {
  return {
    extensions: { read, cost: costOf(read) },
    resolve: async (_root: object, _args: object, { reads }: Context, info: GraphQLResolveInfo) =>
      composed<T>(await reads.field(info)),
  }
}

/** What a mutation says of itself, and the object with what was selected of what it changed. */
export type Changed = { readonly changed: object }

/** Options of a payload's object. Resolves to `NOT_FOUND` when it was deleted just after the write. */
export function changed<T>(read: OneRead, what: string) {
  return {
    extensions: { read, cost: costOf(read) },
    resolve: (payload: Changed, _args: object, _context: Context, { path }: GraphQLResolveInfo): T => {
      const row = composed<T | null>(Reflect.get(payload.changed, path.key))
      if (row === null) throw notFound(what)
      return row
    },
  }
}

/** What was selected of what a mutation changed, read after its write. Throws `OUTCOME_UNKNOWN` where it cannot be read. */
export async function changedBy(
  { reads }: Context,
  info: GraphQLResolveInfo,
  id: string,
  howToRead: string,
): Promise<object> {
  return composed<object>(await readingBack(howToRead, () => reads.byId(info, id)))
}

/** What a composed statement answered, as the type that it was composed for. */
export function composed<T>(answer: unknown): T {
  // The one place where JSON gets its type: the statement was made from the very selection that is being resolved.
  return answer as T
}

/** The value stands where the answer has it: the statement was composed for this very response. */
const byResponseKey: GraphQLFieldResolver<object, Context> = (source, _args, _context, { path, fieldName }) =>
  Reflect.get(source, source instanceof PageFacts ? fieldName : path.key)

/** The schema whose composed objects, entities and what pages of them consist of, are taken as they are. Throws where a field of an entity has no read. */
export function withComposedObjects(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !isComposed(type)) continue
    for (const field of Object.values(type.getFields())) {
      if (type.extensions.entity && isCompositeType(getNamedType(field.type)) && !field.extensions.read)
        throw new TypeError(`${type.name}.${field.name} does not say how it is read`)
      field.resolve = byResponseKey
    }
  }
  return schema
}

function isComposed(type: unknown): boolean {
  if (!isObjectType(type)) return isInterfaceType(type) && type.extensions.entity !== undefined
  if (type.extensions.entity || type.name === 'PageInfo') return true
  const { node, edges } = type.getFields()
  const part = node ?? edges
  return part !== undefined && isComposed(getNamedType(part.type))
}

function unreached(): never {
  throw new TypeError('A composed object was resolved as if it were none')
}
