import type { Database } from '../../engine/data/database.ts'

/** About how many accounts and publications a server has. */
type Estimate = { readonly accounts: number; readonly publications: number }

/** For how long a process keeps an estimate, in milliseconds. */
const keptFor = 60_000

/** About how many blocks of a table are counted. A table that has no more is counted as a whole. */
const sampled = 64

/**
 * Counts the rows in a random sample of the blocks of a table, which tells about how many all blocks have. This needs no statistics, which
 * an embedded database does not collect.
 */
const rowsOf = (table: string, condition: string) => `(
  select count(*) filter (where s.counts)
    * case when t.blocks > ${sampled} then t.blocks::float8 / greatest(count(distinct s.block), 1) else 1 end
  from (select pg_relation_size('${table}') / current_setting('block_size')::int as blocks) t
    left join (
      select (ctid::text::point)[0] as block, ${condition} as counts
      from ${table} tablesample system (
        least(100 * ${sampled}.0 * current_setting('block_size')::int / greatest(pg_relation_size('${table}'), 1), 100))) s on true
  group by t.blocks)::float8`

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
