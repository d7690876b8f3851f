import { type PageRead, viewer } from './read.ts'
import { type Sql, sql } from './sql.ts'

/** The ends of a join table, by the names of its columns without `_id`, and the table at the other end. */
type Ends = { readonly from: Sql; readonly to: Sql; readonly table: Sql }

/** A list through a join table whose own id is the key, newest first: the rows at the `to` end of those whose `from` end the row is. */
export function through(joins: Sql, { from, to, table }: Ends): PageRead {
  const of = (it: Sql, row: Sql) => sql`where ${it}_join.${from}_id = ${row}.id`
  return {
    order: 'desc',
    key: (it) => sql`${it}_join.id`,
    keys: (it, row) => sql`from ${joins} ${it}_join ${of(it, row)}`,
    page: (it, row) =>
      sql`from ${joins} ${it}_join join ${table} ${it} on ${it}.id = ${it}_join.${to}_id ${of(it, row)}`,
  }
}

/** The rows of a table that belong to the viewer, newest first. */
export function ownedByViewer(table: Sql, owner: Sql): PageRead {
  return {
    order: 'desc',
    key: (it) => sql`${it}.id`,
    page: (it) => sql`from ${table} ${it} where ${it}.${owner} = ${viewer.id}`,
  }
}
