import type { Database } from '../../engine/data/database.ts'

/** About how many accounts and publications a server has. */
type Estimate = { readonly accounts: number; readonly publications: number }

/** For how long a process keeps an estimate, in milliseconds. */
const keptFor = 60_000

/** Up to how many rows a table is counted. */
const counted = 1_000

/**
 * Counts the first rows of a table. If it has more, they tell how many rows a block has, and thus about how many rows all blocks have.
 * This needs no statistics, which an embedded database does not collect.
 */
const rowsOf = (table: string, condition: string) => `(
  with first_rows as materialized (select (ctid::text::point)[0] as block, ${condition} as counts from ${table} limit ${counted + 1})
  select case when count(*) <= ${counted} then count(*) filter (where counts)
    else count(*) filter (where counts) * pg_relation_size('${table}') / current_setting('block_size')::int / (max(block) - min(block) + 1)
    end from first_rows)::float8`

const estimate = `
  select ${rowsOf('users', 'true')} as accounts, ${rowsOf('publications', 'deleted_at is null')} as publications`

/** Estimates how much is stored, at most once a minute. */
export class Estimates {
  readonly #database: Pick<Database, 'runReserved'>
  #estimating: Promise<Estimate> | undefined
  #known: Estimate | undefined
  #until = 0

  constructor(database: Pick<Database, 'runReserved'>) {
    this.#database = database
  }

  /** The current estimate. While the database does not respond, the last one counts. */
  async read(): Promise<Estimate> {
    if (this.#known && performance.now() < this.#until) return this.#known
    this.#estimating ??= this.#estimate().finally(() => (this.#estimating = undefined))
    try {
      return await this.#estimating
    } catch (error) {
      if (this.#known) return this.#known
      throw error
    }
  }

  async #estimate(): Promise<Estimate> {
    const [row] = await this.#database.runReserved<Estimate>(estimate, [])
    const most = 2 ** 31 - 1
    const rounded = (rows = 0) => Math.min(Math.round(rows), most)
    this.#known = { accounts: rounded(row?.accounts), publications: rounded(row?.publications) }
    this.#until = performance.now() + keptFor
    return this.#known
  }
}
