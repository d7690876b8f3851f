import { type GraphQLCompositeType, isUnionType } from 'graphql'
import { objectIn } from './field-reads.ts'
import { type Sql, sql } from './sql.ts'

const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** The Prisma model of a type; undefined where its objects are not stored. */
export function modelOf(type: GraphQLCompositeType): string | undefined {
  return isUnionType(type) ? undefined : type.extensions.pothosPrismaModel
}

/** The Prisma model of a type whose rows are read. */
export function modelOfRows(type: GraphQLCompositeType): string {
  const model = modelOf(type)
  if (model === undefined) throw new TypeError(`${type.name} has no Prisma model, so none can be read`)
  return model
}

/** The table or view of a Prisma model: `LivePublication` is in `live_publications`. Pothos does not know the names in `@@map`. */
export function tableOf(model: string): Sql {
  return sql.identifier(`${snakeCase(model)}s`)
}

/** The column of a field of a Prisma model: `replyCount` is in `reply_count`. */
export function columnOf(field: string): Sql {
  return sql.identifier(snakeCase(field))
}

/** What plugin-prisma notes of a relation to one object, in the extensions of its field. */
export type PrismaRelation = { readonly relationFromFields?: readonly string[] }

/** The read of the object at the end of a relation, whose key is `id`. */
export const objectOfRelation = ({ relationFromFields: [key = ''] = [] }: PrismaRelation) => objectIn(columnOf(key))
