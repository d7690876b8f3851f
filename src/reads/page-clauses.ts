import { all, type Sql, sql } from './sql.ts'

/** Adds a parameter to the statement on its first call, and returns it. */
type Parameter = () => Sql

/** The parameters of one page; undefined for an argument that the document leaves out. */
export type PageParameters = {
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
const largest = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** The clauses that select one page of a list. A backward page is read in the opposite order. */
export class PageClauses {
  readonly #parameters: PageParameters
  readonly #ascending: boolean
  readonly #walksUp: boolean
  /** Whether one row more is read than the page has, to tell whether there are more. */
  readonly oneMore: boolean

  constructor(order: Order, backward: boolean, oneMore: boolean, parameters: PageParameters) {
    this.#parameters = parameters
    this.oneMore = oneMore
    this.#ascending = order === 'asc'
    this.#walksUp = this.#ascending !== backward
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

  /** The rows that the walk meets first. */
  readonly top = (key: Sql, limit: Sql = this.limit): Sql => {
    return sql`${this.walk(key)} limit ${limit}`
  }

  /** The order in which the list is walked. */
  readonly walk = (key: Sql): Sql => {
    return sql`order by ${key} ${inOrder[this.#walksUp ? 'asc' : 'desc']}`
  }

  /** Whether the walk meets `key` not later than `bound`; anything when that is null. */
  readonly upTo = (key: Sql, bound: Sql): Sql => {
    return this.#walksUp
      ? sql`${key} <= coalesce(${bound}, ${largest})`
      : sql`${key} >= coalesce(${bound}, ${smallest})`
  }

  /** Whether the page leaves out what stands on the side that it is walked from. */
  get passesOver(): Sql {
    const { after, before, offset } = this.#parameters
    const cursor = this.#ascending === this.#walksUp ? after : before
    const passed = [cursor && sql`${cursor()} is not null`, offset && sql`${offset()} > 0`]
    return sql.join([...passed.filter((it) => it !== undefined), sql`false`], sql` or `)
  }

  /** Whether the document asks for a numbered page. */
  get isNumbered(): boolean {
    return this.#parameters.offset !== undefined
  }

  /**
   * The keys of a numbered page of a list: a walk over the index alone. Where the number of all rows is stored and no cursor narrows
   * the list, it starts at the nearer end, so the last page costs what the first does.
   */
  numbered(key: Sql, list: Sql, total: Sql | undefined): Sql {
    const { limit } = this
    const { after, before } = this.#parameters
    const offset = this.#parameters.offset?.() ?? sql`0`
    const walk = (up: boolean, condition: Sql, size: Sql, over: Sql) =>
      sql`(select ${key} ${list} and ${condition} order by ${key} ${inOrder[up ? 'asc' : 'desc']} limit ${size} offset ${over})`
    if (total === undefined || after || before) return walk(this.#walksUp, sql`true`, limit, offset)
    const near = walk(this.#walksUp, sql`${offset} <= ${total} / 2`, limit, offset)
    const left = sql`${total} - ${offset}`
    const far = walk(
      !this.#walksUp,
      sql`${offset} > ${total} / 2`,
      sql`greatest(least(${limit}, ${left}), 0)`,
      sql`greatest(${left} - (${limit}), 0)`,
    )
    return sql`${near} union all ${far}`
  }
}
