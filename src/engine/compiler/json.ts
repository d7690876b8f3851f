import { type GraphQLLeafType, type GraphQLOutputType, getNamedType, isLeafType } from 'graphql'
import { comma, type Sql, sql } from './sql.ts'

/** An entry of a JSON object: its key, a response key of GraphQL, and what it is. */
export type Entry = readonly [key: string, value: Sql]

/** How long a key may be: PostgreSQL cuts longer names off. */
export const longestResponseKey = 63

/** The alias of a row that becomes a JSON object. No column, whose names are response keys, can have the same name. */
const objectRow = sql.identifier('$')

/** The columns of a query whose rows become JSON objects. */
export function columns(entries: readonly Entry[]): Sql {
  return sql.join(
    entries.map(([key, value]) => sql`${value} as ${sql.identifier(key)}`),
    comma,
  )
}

/** The rows of a query as JSON objects, their keys in the order of its columns. */
export function objectsOf(query: Sql): Sql {
  return sql`(select row_to_json(${objectRow}) from (${query}) ${objectRow})`
}

/** A JSON object of expressions. */
export function objectOf(entries: readonly Entry[]): Sql {
  return objectsOf(sql`select ${columns(entries)}`)
}

/** The opaque cursor of a key: its 16 bytes in base64url (RFC 4648, section 5). */
export function cursorOf(key: Sql): Sql {
  return sql`rtrim(translate(encode(uuid_send(${key}), 'base64'), '+/', '-_'), '=')`
}

/** A column as the answer has it: what its scalar would serialize it to. */
export function leafOf(type: GraphQLLeafType, column: Sql): Sql {
  return type.name === 'DateTime' ? timeOf(column) : column
}

/** A time as the scalar \`DateTime\` serializes it. */
export function timeOf(time: Sql): Sql {
  return sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** The leaf that a field is of; undefined where it is of objects. */
export function leafTypeOf(type: GraphQLOutputType): GraphQLLeafType | undefined {
  const named = getNamedType(type)
  return isLeafType(named) ? named : undefined
}

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
