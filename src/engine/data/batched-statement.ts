import { LRUCache } from 'lru-cache'
import type { Statement, TextRow } from './backend.ts'

/** A statement parameter with its type. The type must be a scalar, because `unnest` flattens nested arrays. */
const parameter = /\$(\d+)::([a-z]+)\b(?!\[)/g

/** How many statements keep their loader and their text for batches. */
export const knownTexts = 256

/** What was made of each text, by the lock timeout. All databases share it, because it depends on nothing else. */
const wrapped = new LRUCache<string, Map<number | undefined, string>>({ max: knownTexts })

/** The column with the number of the parameter row that a result belongs to, starting at 1. */
export const rowNumberColumn = '$row'

/**
 * Wraps a statement so that it runs for many rows of parameters, passed as one array for each parameter. Each parameter of the inner
 * statement must have a scalar type cast, such as `$1::uuid`. With a lock timeout, in milliseconds, it waits no longer for a lock.
 */
export function batchedText(text: string, lockTimeout?: number): string {
  const known = wrapped.get(text) ?? new Map<number | undefined, string>()
  if (known.size === 0) wrapped.set(text, known)
  const made = known.get(lockTimeout) ?? wrap(text, lockTimeout)
  known.set(lockTimeout, made)
  return made
}

function wrap(text: string, lockTimeout: number | undefined): string {
  const types = new Map<number, string>()
  const inner = text.replace(parameter, (_, number: string, type: string) => {
    types.set(Number(number), type)
    return `batch.p${number}`
  })
  const numbers = [...types.keys()].sort((a, b) => a - b)
  const columns = numbers.map((number) => `p${number}`)
  const [first = '', ...others] = numbers.map((number) => `$${number}::${types.get(number)}[]`)
  // The arguments of unnest are evaluated before the first row. The setting ends with the transaction.
  const begin = `case when set_config('lock_timeout', '${lockTimeout}', true) is not null then ${first} end`
  const arrays = [lockTimeout === undefined ? first : begin, ...others]
  return `select batch.row_number::text as "${rowNumberColumn}", answer.*
    from unnest(${arrays.join(', ')}) with ordinality batch(${[...columns, 'row_number'].join(', ')})
    cross join lateral (${inner}) answer`
}

/** The values of many rows of parameters, as one array for each parameter. */
export function batchedValues(rows: readonly (readonly unknown[])[]): unknown[][] {
  const [first = []] = rows
  return first.map((_, index) => rows.map((values) => values[index]))
}

/** A row of a batched statement, with the position of its run. */
export type BatchRow = TextRow & { readonly [rowNumberColumn]?: string | null }

/** The statement for runs of one text, of which this is one. A single one without a lock timeout stays as it is. */
export function together(one: Statement, runs: readonly Statement[], lockTimeout?: number): Statement {
  if (runs.length === 1 && lockTimeout === undefined) return one
  const values = batchedValues(runs.map((run) => run.values))
  return { text: batchedText(one.text, lockTimeout), values, preparation: one.preparation }
}

/** The rows of each run. */
export function rowsOfRuns(rows: readonly BatchRow[], runs: number): TextRow[][] {
  const results = Array.from({ length: runs }, (): TextRow[] => [])
  for (const { [rowNumberColumn]: rowNumber = 1, ...row } of rows) results[Number(rowNumber) - 1]?.push(row)
  return results
}
