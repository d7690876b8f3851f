import type { JoinTable, PageRead, Part, Place, RowsRead, Rules } from './field-reads.ts'
import { tableOf } from './model.ts'
import { ofRow, rulesFor, visible } from './rules.ts'
import { all, type Sql, sql } from './sql.ts'

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
const isJoined = ({ from }: JoinTable, it: Sql, row: Sql) => sql`${joinOf(it)}.${from} = ${row}.id`

/** The `from … where …` of the rows, each called `it`: of their table, or of the rows of a `query`, which are visible. */
export function clauseOf({ read: { join, where }, model, place, rules, row, part }: Rows, it: Sql, query?: Sql): Sql {
  const table = query ? sql`(${query})` : tableOf(model)
  const source = join
    ? sql`${join.table} ${joinOf(it)} join ${table} ${it} on ${it}.id = ${joinOf(it)}.${join.to}`
    : sql`${table} ${it}`
  const isVisible = query ? undefined : visible(rules, model, place, ofRow(it))
  return sql`from ${source} where ${all(join && isJoined(join, it, row), join?.where?.(joinOf(it)), where?.(it, row, part, rules), isVisible)}`
}

/** The key of the row `it`: its id or another column, or the id of the row of the join table. */
export function keyOf({ join, key = sql`id` }: Pick<PageRead, 'join' | 'key'>, it: Sql): Sql {
  return join ? sql`${joinOf(it)}.id` : sql`${it}.${key}`
}

/** The `from … where …` that a page walks over in the order of its key: rows of its join table, or of its own, whether or not it shows them. */
export function walkOf(
  { read: { join, where, scans }, model, rules, row, isOpen, part }: Rows<PageRead>,
  it: Sql,
  query?: Sql,
): Sql {
  if (join) return sql`from ${join.table} ${joinOf(it)} where ${all(isJoined(join, it, row), isOpen)}`
  const table = query ? sql`(${query})` : tableOf(model)
  return sql`from ${table} ${it} where ${all(scans ? undefined : where?.(it, row, part, rules), isOpen)}`
}

/** The `from … where …` of the rows that a page shows among those that it has walked over, which are a query. */
export function shownOf({ read, model, place, rules, row, part }: Rows<PageRead>, it: Sql, walked: Sql): Sql {
  const { join, where, scans, query } = read
  const source = join
    ? sql`(${walked}) ${joinOf(it)} join ${tableOf(model)} ${it} on ${it}.id = ${joinOf(it)}.${join.to}`
    : sql`(${walked}) ${it}`
  const condition = join || scans ? where?.(it, row, part, rules) : undefined
  const isVisible = query ? undefined : visible(rules, model, place, ofRow(it))
  return sql`from ${source} where ${all(join?.where?.(joinOf(it)), condition, isVisible)}`
}

/** The same with no more than the keys: of the join table alone, if that tells whether the viewer may see its rows. */
export function keysOf(rows: Rows<PageRead>, it: Sql, walked: Sql): Sql {
  const {
    read: { join, where },
    model,
    place,
    rules,
  } = rows
  if (!join?.isWhole || where || rulesFor(rules, model, place).some(({ field }) => field !== 'id'))
    return shownOf(rows, it, walked)
  const joinRow = joinOf(it)
  const isVisible = visible(rules, model, place, () => sql`${joinRow}.${join.to}`)
  return sql`from (${walked}) ${joinRow} where ${all(join.where?.(joinRow), isVisible)}`
}

/** Whether a page may walk over rows that it does not show. */
export function mayHide({ read: { join, scans, query }, model, place, rules }: Rows<PageRead>): boolean {
  return (
    scans === true ||
    join?.where !== undefined ||
    (join && !join.isWhole) ||
    (!query && rulesFor(rules, model, place).length > 0)
  )
}
