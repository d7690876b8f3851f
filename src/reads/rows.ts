import { tableOf } from './model.ts'
import type { PageRead, Part, Place, RowsRead, Rules, Via } from './read.ts'
import { all, type Sql, sql } from './sql.ts'
import { ofRow, rulesFor, visible } from './visibility.ts'

/** A read of rows, and where it stands: the Prisma model and the place of its rows, and the row that they belong to. */
export type Rows<Read extends RowsRead = RowsRead> = {
  readonly read: Read
  readonly model: string
  readonly place: Place
  /** What the viewer may see. */
  readonly rules: Rules
  readonly row: Sql
  /** Whether the viewer may see the lists of that row; undefined where no rule says so. */
  readonly isOpen?: Sql | undefined
  /** The parts of the arguments that select the rows. */
  readonly part: Part
}

/** The row of the join table by which the row `it` is found. */
export const joinOf = (it: Sql) => sql`${it}_join`
const isJoined = ({ from }: Via, it: Sql, row: Sql) => sql`${joinOf(it)}.${from} = ${row}.id`

/** The `from … where …` of the rows, each called `it`: of their table, or `among` the rows of a query, which are visible. */
export function clauseOf(
  { read: { via, where }, model, place, rules, row, isOpen, part }: Rows,
  it: Sql,
  among?: Sql,
): Sql {
  const table = among ? sql`(${among})` : tableOf(model)
  const source = via
    ? sql`${via.table} ${joinOf(it)} join ${table} ${it} on ${it}.id = ${joinOf(it)}.${via.to}`
    : sql`${table} ${it}`
  const isVisible = among ? undefined : visible(rules, model, place, ofRow(it))
  return sql`from ${source} where ${all(via && isJoined(via, it, row), where?.(it, row, part, rules), isVisible, isOpen)}`
}

/** The key of the row `it`: its id or another column, or the id of the row of the join table. */
export function keyOf({ via, key = sql`id` }: Pick<PageRead, 'via' | 'key'>, it: Sql): Sql {
  return via ? sql`${joinOf(it)}.id` : sql`${it}.${key}`
}

/** A `from … where …` with the keys of the same rows: of the join table alone, if that tells whether the viewer may see them. */
export function keysOf(rows: Rows, it: Sql, among?: Sql): Sql {
  const { model, place, rules, row, isOpen } = rows
  const { via, where } = rows.read
  if (!via || where || rulesFor(rules, model, place).some(({ by }) => by !== 'id')) return clauseOf(rows, it, among)
  const join = joinOf(it)
  const isVisible = visible(rules, model, place, () => sql`${join}.${via.to}`)
  return sql`from ${via.table} ${join} where ${all(isJoined(via, it, row), via.hasEnd?.(join, row), isVisible, isOpen)}`
}
