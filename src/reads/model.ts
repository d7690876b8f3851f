import { getDatamodel } from '../data/generated/pothos.ts'
import type { OneRead, PageRead } from './read.ts'
import { and, type Sql, sql } from './sql.ts'

const { models } = getDatamodel().datamodel

const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** The table or view of a Prisma model: `LivePublication` is in `live_publications`. Pothos does not know the names in `@@map`. */
export function tableOf(model: string | undefined): Sql {
  if (model === undefined) throw new TypeError('Only objects of a Prisma model can be read')
  return sql.identifier(`${snakeCase(model)}s`)
}

/** The column of a field of a Prisma model: `replyCount` is in `reply_count`. */
export function columnOf(field: string): Sql {
  return sql.identifier(snakeCase(field))
}

/** What plugin-prisma notes of a relation, in the extensions of its field. */
export type Relation = {
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
export function objectOfRelation({ type, relationFromFields: [key = ''] = [] }: Relation): OneRead {
  return { one: (it, row) => sql`from ${tableOf(type)} ${it} where ${it}.id = ${row}.${columnOf(key)}` }
}

/**
 * The read of the rows that refer to a row, with the `where` and `orderBy` of the connection. `counter` is the field that has their number.
 * Throws for a query that it cannot express: `where` may only compare fields with null, and `orderBy` has one unique field.
 */
export function pageOfRelation(relation: Relation, select: SelectRelation, counter: string | undefined): PageRead {
  const { where = {}, orderBy = {} } = queryOf(select)
  const [[key, order] = [], ...others] = Object.entries(orderBy)
  if (key === undefined || (order !== 'asc' && order !== 'desc') || others.length > 0)
    throw new TypeError(`A connection of ${relation.type} needs an order by one field`)
  const foreignKey = columnOf(foreignKeyOf(relation))
  const conditions = (it: Sql, row: Sql) => [
    sql`${it}.${foreignKey} = ${row}.id`,
    ...Object.entries(where).map(([field, value]) => conditionOf(sql`${it}.${columnOf(field)}`, value)),
  ]
  return {
    order,
    key: (it) => sql`${it}.${columnOf(key)}`,
    page: (it, row) => sql`from ${tableOf(relation.type)} ${it} where ${sql.join(conditions(it, row), and)}`,
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
function foreignKeyOf({ type, relationName }: Relation): string {
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
