import { tableOf } from './model.ts'
import type { Part, RowsRead, Via } from './read.ts'
import { all, type Sql, sql } from './sql.ts'

/** A read of rows, and where it stands: the Prisma model of its rows, and the row that they belong to. */
export type Rows<Read extends RowsRead = RowsRead> = {
  readonly read: Read
  readonly model: string
  readonly row: Sql
  /** The parts of the arguments that select the rows. */
  readonly part: Part
}

const joinOf = (it: Sql) => sql`${it}_join`
const isJoined = ({ from }: Via, it: Sql, row: Sql) => sql`${joinOf(it)}.${from}_id = ${row}.id`

/** The `from … where …` of the rows, each called `it`: of their table, or `among` the rows of a query. */
export function clauseOf({ read: { via, where }, model, row, part }: Rows, it: Sql, among?: Sql): Sql {
  const table = among ? sql`(${among})` : tableOf(model)
  const source = via
    ? sql`${via.table} ${joinOf(it)} join ${table} ${it} on ${it}.id = ${joinOf(it)}.${via.to}_id`
    : sql`${table} ${it}`
  return sql`from ${source} where ${all(via && isJoined(via, it, row), where?.(it, row, part))}`
}

/** The key of the row `it`: its id, or that of the row of the join table. */
export function keyOf({ via }: RowsRead, it: Sql): Sql {
  return sql`${via ? joinOf(it) : it}.id`
}

/** A `from … where …` with the keys of the same rows: of the join table alone, if there is one. */
export function keysOf(rows: Rows, it: Sql, among?: Sql): Sql {
  const { via } = rows.read
  if (!via) return clauseOf(rows, it, among)
  const join = joinOf(it)
  return sql`from ${via.table} ${join} where ${all(isJoined(via, it, rows.row), via.hasEnd?.(join, rows.row))}`
}
