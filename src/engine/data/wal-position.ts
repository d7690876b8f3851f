/** A position in the write-ahead log (an LSN), as 16 hexadecimal digits, which sort like it. */
export type WalPosition = string

/** A position that no replica reaches. */
export const onlyOnPrimary: WalPosition = 'f'.repeat(16)

/** The SQL of the position at an LSN. `zero` may be a parameter, because batches need one, with a cast that they know. */
export const positionAt = (lsn: string, zero = "'0/0'") =>
  `lpad(to_hex((${lsn} - ${zero}::text::pg_lsn)::bigint), 16, '0')`
