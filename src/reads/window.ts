import { type FieldError, invalid } from '../errors.ts'
import { decodeCursor } from './cursor.ts'
import type { PageRead, Sql } from './read.ts'

/** How many rows a page has when nothing is said, and at most. */
export const pageSize = { default: 20, max: 100 } as const

/** The last page that a number reaches, times the largest page. */
export const maxOffset = 1_000_000

/** Arguments of a connection (Relay Cursor Connections Specification, section 4), with an offset for numbered pages. */
export type PageArgs = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
  readonly offset?: number | null | undefined
}

/** What a page asks for: up to `size` rows strictly between two keys, from the far end when `backward`. */
export type PageRequest = {
  readonly backward: boolean
  readonly size: number
  readonly after: string | null
  readonly before: string | null
  readonly offset: number
}

/** What a page asks for, or `VALIDATION_FAILED` naming each argument that is out of its bounds. */
export function pageRequest({ first, after, last, before, offset }: PageArgs): PageRequest {
  const errors: FieldError[] = []
  const bounded = (field: string, value: number | null | undefined, max: number) => {
    if (value != null && (value < 0 || value > max)) errors.push({ field, message: `must be from 0 to ${max}` })
  }
  const key = (field: string, cursor: string | null | undefined) => {
    const decoded = cursor == null ? null : decodeCursor(cursor)
    if (decoded === undefined) errors.push({ field, message: 'is not a cursor of this list' })
    return decoded ?? null
  }
  bounded('first', first, pageSize.max)
  bounded('last', last, pageSize.max)
  bounded('offset', offset, maxOffset)
  if (first != null && last != null) errors.push({ field: 'last', message: 'cannot be combined with first' })
  const request = {
    backward: last != null,
    size: last ?? first ?? pageSize.default,
    after: key('after', after),
    before: key('before', before),
    offset: offset ?? 0,
  }
  const [error, ...others] = errors
  if (error) throw invalid(error, ...others)
  return request
}

/** A parameter of a statement, which has it from the moment that this is called. */
type Parameter = () => Sql

/** The parameters of one page; undefined for an argument that the document does not name. */
export type PageParameters = {
  readonly size: Parameter
  readonly after: Parameter | undefined
  readonly before: Parameter | undefined
  readonly offset: Parameter | undefined
}

const smallest = "'00000000-0000-0000-0000-000000000000'::uuid"
const largest = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"

/** The clauses that cut one page out of a list, in the direction that it is walked. */
export class Window {
  readonly #parameters: PageParameters
  readonly #ascending: boolean
  readonly #walksUp: boolean
  readonly #oneMore: boolean

  constructor({ order }: PageRead, backward: boolean, oneMore: boolean, parameters: PageParameters) {
    this.#parameters = parameters
    this.#oneMore = oneMore
    this.#ascending = order === 'asc'
    this.#walksUp = this.#ascending !== backward
  }

  /** How many rows the page has at most. */
  get size(): Sql {
    return this.#parameters.size()
  }

  /** How many rows are read: with `oneMore` one more than the page has, which tells whether there are more. */
  get limit(): Sql {
    return this.#oneMore ? `${this.size} + 1` : this.size
  }

  /** Whether `key` lies between the cursors. */
  readonly within = (key: Sql): Sql => {
    const { after, before } = this.#parameters
    const [low, high] = this.#ascending ? [after, before] : [before, after]
    return [
      'true',
      low && `${key} > coalesce(${low()}, ${smallest})`,
      high && `${key} < coalesce(${high()}, ${largest})`,
    ]
      .filter(Boolean)
      .join(' and ')
  }

  /** The rows that the walk meets first. */
  readonly top = (key: Sql, limit: Sql = this.limit): Sql => {
    return `${this.walk(key)} limit ${limit}`
  }

  /** The order in which the list is walked. */
  readonly walk = (key: Sql): Sql => {
    return `order by ${key} ${this.#walksUp ? 'asc' : 'desc'}`
  }

  /** Whether the walk meets `key` not later than `bound`; anything when that is null. */
  readonly upTo = (key: Sql, bound: Sql): Sql => {
    return this.#walksUp ? `${key} <= coalesce(${bound}, ${largest})` : `${key} >= coalesce(${bound}, ${smallest})`
  }

  /** Whether the page leaves out what stands on the side that it is walked from. */
  get passesOver(): Sql {
    const { after, before, offset } = this.#parameters
    const cursor = this.#ascending === this.#walksUp ? after : before
    return [cursor && `${cursor()} is not null`, offset && `${offset()} > 0`].filter(Boolean).join(' or ') || 'false'
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
    const offset = this.#parameters.offset?.() ?? '0'
    const walk = (up: boolean, condition: Sql, size: Sql, over: Sql) =>
      `(select ${key} ${list} and ${condition} order by ${key} ${up ? 'asc' : 'desc'} limit ${size} offset ${over})`
    if (total === undefined || after || before) return walk(this.#walksUp, 'true', limit, offset)
    const near = walk(this.#walksUp, `${offset} <= ${total} / 2`, limit, offset)
    const left = `${total} - ${offset}`
    const far = walk(
      !this.#walksUp,
      `${offset} > ${total} / 2`,
      `greatest(least(${limit}, ${left}), 0)`,
      `greatest(${left} - (${limit}), 0)`,
    )
    return `${near} union all ${far}`
  }
}
