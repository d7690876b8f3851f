/** A place in the log of writes of a server (an LSN), as 16 hexadecimal digits, which sort like it. */
export type Position = string

/** The form of a position. */
export const positionFormat = /^[0-9a-f]{16}$/

/** A position that no replica reaches. */
export const onlyOnPrimary: Position = 'f'.repeat(16)

/** The SQL of the position at an LSN. The zero has a cast that batches know. */
export const positionAt = (lsn: string, zero = "'0/0'") =>
  `lpad(to_hex((${lsn} - ${zero}::text::pg_lsn)::bigint), 16, '0')`
