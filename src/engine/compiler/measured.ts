import { comma, type Sql, sql } from './sql.ts'

/** The column with the number of bytes of a response that is too large. */
export const excessColumn = 'excess'

const maxBytes = sql`$1::int`

/** A statement with columns of JSON that are null if they have too many bytes together. Another column then has their number. */
export function measured(statement: Sql, columns: readonly Sql[]): Sql {
  const size = sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )
  const limited = columns.map((column) => sql`case when bytes <= ${maxBytes} then ${column} end as ${column}`)
  // Without "offset 0", PostgreSQL would merge the queries and read everything twice.
  return sql`select ${sql.join(limited, comma)}, case when bytes > ${maxBytes} then bytes::text end as ${sql.identifier(excessColumn)}
    from (select *, ${size} as bytes from (${statement} offset 0) root) measured`
}
