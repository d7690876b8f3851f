import { getNamedType } from 'graphql'
import { columns, cursorOf, type Entry, objectOf, objectsOf } from './json.ts'
import { inOrder, type Order, type PageClauses } from './page-clauses.ts'
import type { PageRead } from './read.ts'
import { clauseOf, keyOf, keysOf, type Rows } from './rows.ts'
import type { Fields, Selected } from './selection.ts'
import { type Sql, sql } from './sql.ts'
import { rulesFor } from './visibility.ts'

/** A connection that is selected, and where its rows come from. */
export type SelectedConnection = Rows<PageRead> & {
  /** The aliases of the rows of the list. */
  readonly it: Sql
  readonly numberedBy: Sql
  readonly selected: Selected
  /** What is selected of a part of the connection. */
  readonly fieldsOf: (part: Selected) => Fields
  /** The JSON object of a node, from its row. */
  readonly nodeOf: (part: Selected) => Sql
}

/** The fields of connections, of their edges, and of the positions of pages. */
export const fieldsOfPages: ReadonlySet<string> = new Set(
  'nodes edges pageInfo totalCount node cursor startCursor endCursor hasNextPage hasPreviousPage'.split(' '),
)

type Scan = ReturnType<NonNullable<PageRead['scan']>>

/** Whether the response says if there are more rows than the page has. */
export function asksForMore({ selected, fieldsOf }: SelectedConnection, backward: boolean): boolean {
  const flag = backward ? 'hasPreviousPage' : 'hasNextPage'
  const pageInfos = [...fieldsOf(selected).values()].filter(({ field }) => field.name === 'pageInfo')
  return pageInfos.some((pageInfo) => [...fieldsOf(pageInfo).values()].some(({ field }) => field.name === flag))
}

/** Compiles a connection (Relay Cursor Connections Specification, section 2) to one JSON object. */
export class ConnectionCompiler {
  readonly #connection: SelectedConnection
  readonly #backward: boolean
  readonly #clauses: PageClauses
  #isRead = false

  constructor(connection: SelectedConnection, backward: boolean, clauses: PageClauses) {
    this.#connection = connection
    this.#backward = backward
    this.#clauses = clauses
  }

  /** Leaves out the extra row, which is read only to tell whether there are more. */
  get #cut(): Sql {
    return this.#clauses.oneMore
      ? sql` filter (where ${this.#connection.it}.page_place <= ${this.#clauses.size})`
      : sql``
  }

  /** The connection as a JSON object. */
  compile(): Sql {
    const { selected, it } = this.#connection
    const entries = this.#entries(selected, (part) => this.#part(part))
    return this.#isRead ? objectsOf(sql`select ${columns(entries)} from (${this.#found()}) ${it}`) : objectOf(entries)
  }

  #part(selected: Selected): Sql | undefined {
    const { read, row, nodeOf } = this.#connection
    const { name } = selected.field
    if (name === 'nodes') return this.#array(nodeOf(selected))
    if (name === 'edges') return this.#array(objectOf(this.#entries(selected, (part) => this.#edgePart(part))))
    if (name === 'pageInfo') return objectOf(this.#entries(selected, (part) => this.#pageInfoPart(part)))
    return name === 'totalCount' ? (read.total?.(row) ?? sql`null::int`) : undefined
  }

  #edgePart(selected: Selected): Sql | undefined {
    const { name } = selected.field
    if (name === 'node') return this.#connection.nodeOf(selected)
    return name === 'cursor' ? cursorOf(sql`${this.#connection.it}.page_key`) : undefined
  }

  #pageInfoPart({ field: { name } }: Selected): Sql | undefined {
    const backward = this.#backward
    const { order } = this.#connection.read
    if (name === 'startCursor') return this.#end(order)
    if (name === 'endCursor') return this.#end(order === 'asc' ? 'desc' : 'asc', this.#scan)
    if (name === 'hasNextPage') return backward ? this.#clauses.passesOver : this.#more()
    return name === 'hasPreviousPage' ? (backward ? this.#more() : this.#clauses.passesOver) : undefined
  }

  /** The entries of the object of a field. What is no part of a page is its `__typename`. */
  #entries(selected: Selected, partOf: (part: Selected) => Sql | undefined): Entry[] {
    const typename = sql.literal(getNamedType(selected.field.type).name)
    return [...this.#connection.fieldsOf(selected)].map(([key, part]) => [key, partOf(part) ?? typename])
  }

  #array(object: Sql): Sql {
    this.#isRead = true
    const { it, read } = this.#connection
    return sql`coalesce(json_agg(${object} order by ${it}.page_key ${inOrder[read.order]})${this.#cut}, '[]')`
  }

  /** The cursor of the row at an end of the page, or where a scan ended if the page is not full. */
  #end(order: Order, scan?: Scan): Sql {
    this.#isRead = true
    const { it } = this.#connection
    const key = sql`(array_agg(${it}.page_key order by ${it}.page_key ${inOrder[order]})${this.#cut})[1]`
    if (!scan) return cursorOf(key)
    const isShort = sql`count(${it}.page_key) < ${this.#clauses.size}`
    return cursorOf(sql`case when ${isShort} then ${scan.last} else coalesce(${key}, ${scan.start}) end`)
  }

  #more(): Sql {
    this.#isRead = true
    const more = sql`count(${this.#connection.it}.page_key) > ${this.#clauses.size}`
    return this.#scan ? sql`(${more} or ${this.#scan.isFull})` : more
  }

  get #scan() {
    return this.#connection.read.scan?.(this.#clauses)
  }

  #found(): Sql {
    const { it } = this.#connection
    const found = this.#clauses.isNumbered ? this.#numbered() : this.#walked()
    if (!this.#clauses.oneMore) return found
    return sql`select ${it}.*, row_number() over (${this.#clauses.walk(sql`${it}.page_key`)}) as page_place from (${found}) ${it}`
  }

  #walked(): Sql {
    const key = keyOf(this.#connection.read, this.#connection.it)
    return sql`${this.#keyed(key)} ${this.#clauses.top(key)}`
  }

  // The keys of a numbered page are found first, and then each row by its key, so rows that are skipped are never fetched.
  #numbered(): Sql {
    const { read, model, place, rules, row, it, numberedBy } = this.#connection
    const key = keyOf(read, it)
    const list = this.#withinRange(keysOf(this.#connection, numberedBy, this.#among), numberedBy)
    // A stored number counts what the viewer may not see, too.
    const total = rulesFor(rules, model, place).length === 0 ? read.total?.(row) : undefined
    const keys = this.#clauses.numbered(keyOf(read, numberedBy), list, total)
    return sql`select ${it}.* from unnest(array(${keys})) as numbered(key)
      cross join lateral (${this.#keyed(key)} and ${key} = numbered.key limit 1) ${it}`
  }

  #keyed(key: Sql): Sql {
    const { it } = this.#connection
    return sql`select ${it}.*, ${key} as page_key ${this.#withinRange(clauseOf(this.#connection, it, this.#among), it)}`
  }

  get #among(): Sql | undefined {
    const { read, rules, part } = this.#connection
    return read.among?.(this.#clauses, rules, part)
  }

  #withinRange(list: Sql, alias: Sql): Sql {
    return sql`${list} and ${this.#clauses.within(keyOf(this.#connection.read, alias))}`
  }
}
