import type { Rules } from './field-reads.ts'
import { comma, type Sql, sql } from './sql.ts'

/** The columns of the row `viewer` that every statement has, with their types: what reads depend on of their reader. */
type ReaderRow = Readonly<Record<string, Sql>>

/** Readers for whom the same statements are compiled. */
export type ReaderKind = {
  /** Tells it from others in the keys of caches. */
  readonly name: string
  readonly row: ReaderRow
  /** What such a reader may see. */
  readonly rules: Rules
  /** Which of its `forms` a read takes for such a reader, if it has this one. */
  readonly form?: string | undefined
}

/** For whom statements run. */
export type Reader = {
  readonly kind: ReaderKind
  /** The kind with the longest statements, by which the size of SQL is checked before a write. */
  readonly longest: ReaderKind
  /** The values of the row, in the order of its columns. */
  readonly values: readonly unknown[]
}

/** The row as SQL, and how many parameters come before the others: the maximum size of the result in bytes, and one for each column. */
export function compiledRow(row: ReaderRow): { readonly source: Sql; readonly parameters: number } {
  const columns = Object.entries(row).map(
    ([name, type], index) => sql`$${index + 2}::${type} as ${sql.identifier(name)}`,
  )
  return { source: sql`(select ${sql.join(columns, comma)}) viewer`, parameters: columns.length + 1 }
}
