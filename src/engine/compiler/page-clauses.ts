import { all, type Sql, sql } from './sql.ts'

/** Adds a parameter to the statement on its first call, and returns it. */
type Parameter = () => Sql

/** The parameters of one page; undefined for an argument that the document leaves out. */
type PageParameters = {
  readonly size: Parameter
  readonly after: Parameter | undefined
  readonly before: Parameter | undefined
  readonly offset: Parameter | undefined
}

/** The order of a list by its key. */
export type Order = 'asc' | 'desc'

/** The SQL keyword of an order. */
export const inOrder = { asc: sql`asc`, desc: sql`desc` } as const

/** No key is smaller. */
export const smallest = sql`'00000000-0000-0000-0000-000000000000'::uuid`
/** No key is larger. */
export const largest = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** The clauses that select one page of a list. A backward page is read in the opposite order. */
export class PageClauses {
  readonly #parameters: PageParameters
  readonly #scanLimit: number
  readonly #ascending: boolean
  readonly #scansUp: boolean
  /** Whether one row more is read than the page has, to tell whether there are more. */
  readonly oneMore: boolean

  /** `scanLimit` is how many rows the page looks at, besides those that `offset` skips. */
  constructor(order: Order, backward: boolean, oneMore: boolean, scanLimit: number, parameters: PageParameters) {
    this.#parameters = parameters
    this.#scanLimit = scanLimit
    this.oneMore = oneMore
    this.#ascending = order === 'asc'
    this.#scansUp = this.#ascending !== backward
  }

  /** How many rows the page has at most. */
  get size(): Sql {
    return this.#parameters.size()
  }

  /** How many rows are read. */
  get limit(): Sql {
    return this.oneMore ? sql`${this.size} + 1` : this.size
  }

  /** The cursor that the page comes after; undefined if the document has none. */
  get after(): Sql | undefined {
    return this.#parameters.after?.()
  }

  /** Whether `key` lies between the cursors. */
  readonly within = (key: Sql): Sql => {
    const { after, before } = this.#parameters
    const [low, high] = this.#ascending ? [after, before] : [before, after]
    return all(
      low && sql`${key} > coalesce(${low()}, ${smallest})`,
      high && sql`${key} < coalesce(${high()}, ${largest})`,
    )
  }

  /** The rows that the scan meets first. */
  readonly top = (key: Sql, limit: Sql = this.limit): Sql => {
    return sql`${this.scanOrder(key)} limit ${limit}`
  }

  /** The order in which the list is scanned. */
  readonly scanOrder = (key: Sql): Sql => {
    return sql`order by ${key} ${inOrder[this.#scansUp ? 'asc' : 'desc']}`
  }

  /** The opposite order. */
  readonly reverseOrder = (key: Sql): Sql => {
    return sql`order by ${key} ${inOrder[this.#scansUp ? 'desc' : 'asc']}`
  }

  /** The rows that the scan looks at, whether or not the page shows them. */
  scanned(key: Sql): Sql {
    return sql`${this.scanOrder(key)} limit ${this.#reach}`
  }

  /** The last of these rows, if there are so many. */
  lastScanned(key: Sql): Sql {
    return sql`${this.scanOrder(key)} limit 1 offset ${this.#reach} - 1`
  }

  get #reach(): Sql {
    return this.isNumbered ? sql`${this.offset} + ${this.#scanLimit}` : sql`${this.#scanLimit}`
  }

  /** How many rows of the list the page skips. */
  get offset(): Sql {
    return this.#parameters.offset?.() ?? sql`0`
  }

  /** Whether the scan meets `key` not later than `bound`; anything when that is null. */
  readonly upTo = (key: Sql, bound: Sql): Sql => {
    return this.#scansUp
      ? sql`${key} <= coalesce(${bound}, ${largest})`
      : sql`${key} >= coalesce(${bound}, ${smallest})`
  }

  /** Whether the page leaves out what stands on the side that it is scanned from. */
  get passesOver(): Sql {
    const { after, before, offset } = this.#parameters
    const cursor = this.#ascending === this.#scansUp ? after : before
    const passed = [cursor && sql`${cursor()} is not null`, offset && sql`${offset()} > 0`]
    return sql.join([...passed.filter((it) => it !== undefined), sql`false`], sql` or `)
  }

  /** Whether the document asks for a numbered page. */
  get isNumbered(): boolean {
    return this.#parameters.offset !== undefined
  }
}
