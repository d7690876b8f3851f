import { type GraphQLCompositeType, isUnionType } from 'graphql'
import { getDatamodel } from '../data/generated/pothos.ts'
import { objectIn, type PageRead } from './field-reads.ts'
import { all, type Sql, sql } from './sql.ts'

const { models } = getDatamodel().datamodel

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

/** What plugin-prisma notes of a relation, in the extensions of its field. */
export type PrismaRelation = {
  readonly type: string
  readonly isList: boolean
  readonly relationName?: string
  readonly relationFromFields?: readonly string[]
}

/** A query as plugin-prisma passes it to Prisma. */
type Query = { readonly where?: object; readonly orderBy?: object }

/** The function that plugin-prisma plans a relation with. It passes the query of the relation to `nested`. */
export type SelectRelation = (
  args: object,
  context: object,
  nested: (query: Query) => object,
  selectedFields: () => ReadonlySet<string>,
) => object | null

/** The read of the object at the end of a relation, whose key is `id`. */
export const objectOfRelation = ({ relationFromFields: [key = ''] = [] }: PrismaRelation) => objectIn(columnOf(key))

/**
 * The read of the rows that refer to a row, with the `where` and `orderBy` of the connection. `counter` is the field that has their number.
 * Throws for a query that it cannot express: `where` may only compare fields with null, and `orderBy` is by `id`.
 */
export function pageOfRelation(
  relation: PrismaRelation,
  select: SelectRelation,
  counter: string | undefined,
): PageRead {
  const { where = {}, orderBy = {} } = queryOf(select)
  const [[key, order] = [], ...others] = Object.entries(orderBy)
  if (key !== 'id' || (order !== 'asc' && order !== 'desc') || others.length > 0)
    throw new TypeError(`A connection of ${relation.type} needs an order by its id`)
  const foreignKey = columnOf(foreignKeyOf(relation))
  const conditions = (it: Sql) =>
    Object.entries(where).map(([field, value]) => conditionOf(sql`${it}.${columnOf(field)}`, value))
  return {
    order,
    where: (it, row) => all(sql`${it}.${foreignKey} = ${row}.id`, ...conditions(it)),
    ...(counter !== undefined && { total: (row) => sql`${row}.${columnOf(counter)}` }),
  }
}

function queryOf(select: SelectRelation): Query {
  let query: Query = {}
  const note = (passed: Query) => {
    query = passed
    return {}
  }
  select({}, {}, note, () => new Set())
  return query
}

/** The field that refers to the other side of a list, in the model of its rows. */
function foreignKeyOf({ type, relationName }: PrismaRelation): string {
  const fields = models[type]?.fields.filter((field) => field.relationName === relationName) ?? []
  const [key] = fields.flatMap(({ relationFromFields = [] }) => relationFromFields)
  if (key === undefined) throw new TypeError(`${type} has no key of the relation ${relationName}`)
  return key
}

function conditionOf(column: Sql, value: unknown): Sql {
  if (value === null) return sql`${column} is null`
  if (Object(value).not === null) return sql`${column} is not null`
  throw new TypeError('The filter of a connection can only compare with null')
}
