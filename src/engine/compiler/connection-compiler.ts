import { getNamedType } from 'graphql'
import type { PageRead } from './field-reads.ts'
import { columns, cursorOf, type Entry, objectOf, objectsOf } from './json.ts'
import { inOrder, type PageClauses } from './page-clauses.ts'
import { joinOf, keyOf, keysOf, mayHide, type Rows, scanOf, shownOf } from './rows.ts'
import type { Fields, Selected } from './selection.ts'
import { all, type Sql, sql } from './sql.ts'

/** A connection that is selected, and where its rows come from. */
export type SelectedConnection = Rows<PageRead> & {
  /** The aliases of the rows of the list. */
  readonly it: Sql
  readonly numberedBy: Sql
  readonly selected: Selected
  /** What is selected of a part of the connection. */
  readonly selectedFields: (part: Selected) => Fields
  /** The JSON object of a node, from its row. */
  readonly nodeOf: (part: Selected) => Sql
}

/** The fields of connections, of their edges, and of the positions of pages. */
export const fieldsOfPages: ReadonlySet<string> = new Set(
  'nodes edges places pageInfo totalCount node cursor startCursor endCursor hasNextPage hasPreviousPage'.split(' '),
)

/** Whether the response says if there are more rows than the page has. */
export function asksForMore({ selected, selectedFields }: SelectedConnection, backward: boolean): boolean {
  const flag = backward ? 'hasPreviousPage' : 'hasNextPage'
  const pageInfos = [...selectedFields(selected).values()].filter(({ field }) => field.name === 'pageInfo')
  return pageInfos.some((pageInfo) => [...selectedFields(pageInfo).values()].some(({ field }) => field.name === flag))
}

/** Compiles a connection (Relay Cursor Connections Specification, section 2) to one JSON object. */
export class ConnectionCompiler {
  readonly #connection: SelectedConnection
  readonly #backward: boolean
  readonly #clauses: PageClauses
  #isRead = false
  #isCutRead = false

  constructor(connection: SelectedConnection, backward: boolean, clauses: PageClauses) {
    this.#connection = connection
    this.#backward = backward
    this.#clauses = clauses
  }

  /** Leaves out the extra row, which is read only to tell whether there are more, and rows for which the condition does not hold. */
  #cut(condition?: Sql): Sql {
    const { it } = this.#connection
    const isOfPage = this.#clauses.oneMore ? sql`${it}.page_place <= ${this.#clauses.size}` : undefined
    const isRow = this.#connection.read.found && sql`${it}.id is not null`
    return isOfPage || isRow || condition ? sql` filter (where ${all(isOfPage, isRow, condition)})` : sql``
  }

  /** The connection as a JSON object. */
  compile(): Sql {
    const { selected, it } = this.#connection
    const entries = this.#entries(selected, (part) => this.#part(part))
    if (!this.#isRead) return objectOf(entries)
    // Both `hasNextPage` and `endCursor` ask for it, but only of pages that are not full.
    const cut = this.#isCutRead ? sql`with ${this.#cutScan} as materialized (${this.#lastRow}) ` : sql``
    return objectsOf(sql`${cut}select ${columns(entries)} from (${this.#found()}) ${it}`)
  }

  #part(selected: Selected): Sql | undefined {
    const { read, row, it, part, nodeOf } = this.#connection
    const { name } = selected.field
    const isShown = read.hasHidden && sql`${it}.is_shown`
    if (name === 'nodes') return this.#array(nodeOf(selected), isShown)
    if (name === 'edges') return this.#array(objectOf(this.#entries(selected, (part) => this.#edgePart(part))), isShown)
    if (name === 'places') return this.#array(nodeOf(selected), isShown && sql`not ${isShown}`)
    if (name === 'pageInfo') return objectOf(this.#entries(selected, (part) => this.#pageInfoPart(part)))
    return name === 'totalCount' ? (read.total?.(row, part) ?? sql`null::int`) : undefined
  }

  #edgePart(selected: Selected): Sql | undefined {
    const { name } = selected.field
    if (name === 'node') return this.#connection.nodeOf(selected)
    return name === 'cursor' ? cursorOf(sql`${this.#connection.it}.page_key`) : undefined
  }

  #pageInfoPart({ field: { name } }: Selected): Sql | undefined {
    const backward = this.#backward
    if (name === 'startCursor') return backward ? this.#lastCursor() : this.#firstCursor()
    if (name === 'endCursor') return backward ? this.#firstCursor() : this.#lastCursor()
    if (name === 'hasNextPage') return backward ? this.#clauses.passesOver : this.#more()
    return name === 'hasPreviousPage' ? (backward ? this.#more() : this.#clauses.passesOver) : undefined
  }

  /** The entries of the object of a field. What is no part of a page is its `__typename`. */
  #entries(selected: Selected, partOf: (part: Selected) => Sql | undefined): Entry[] {
    const typename = sql.literal(getNamedType(selected.field.type).name)
    return [...this.#connection.selectedFields(selected)].map(([key, part]) => [key, partOf(part) ?? typename])
  }

  #array(object: Sql, condition?: Sql): Sql {
    this.#isRead = true
    const { it, read } = this.#connection
    return sql`coalesce(json_agg(${object} order by ${it}.page_key ${inOrder[read.order]})${this.#cut(condition)}, '[]')`
  }

  /** The cursor of the row of the page that the scan meets first. */
  #firstCursor(): Sql {
    this.#isRead = true
    return cursorOf(this.#shown((key) => this.#clauses.scanOrder(key)))
  }

  /** The cursor where the scan goes on: after the last row of the page or, if the page is not full, the last one that it looked at. */
  #lastCursor(): Sql {
    this.#isRead = true
    const { read, it } = this.#connection
    const key = this.#shown((key) => this.#clauses.reverseOrder(key), read.end)
    const [start, cutAt] = [read.start?.(this.#clauses), this.#cutAt]
    if (!cutAt) return cursorOf(key)
    const isShort = sql`count(${it}.page_key) < ${this.#clauses.size}`
    const last = start ? this.#lastScanned : cutAt
    return cursorOf(sql`coalesce(case when ${isShort} then ${last} end, ${key}${start ? sql`, ${start}` : sql``})`)
  }

  #shown(order: (key: Sql) => Sql, column = sql`page_key`): Sql {
    const key = sql`${this.#connection.it}.${column}`
    return sql`(array_agg(${key} ${order(key)})${this.#cut()})[1]`
  }

  #more(): Sql {
    this.#isRead = true
    const [more, cutAt] = [sql`count(${this.#connection.it}.page_key) > ${this.#clauses.size}`, this.#cutAt]
    return cutAt ? sql`(${more} or ${cutAt} is not null)` : more
  }

  get #key(): Sql {
    return keyOf(this.#connection.read, this.#connection.it)
  }

  /** The key at which the scan was cut off; null if it came to the end of the list. */
  get #cutAt(): Sql | undefined {
    if (this.#connection.read.found) return sql`(array_agg(${this.#connection.it}.page_cut))[1]`
    if (!mayHide(this.#connection)) return undefined
    this.#isCutRead = true
    return sql`(select ${this.#cutScan}.key from ${this.#cutScan})`
  }

  get #cutScan(): Sql {
    return sql`${this.#connection.it}_cut`
  }

  get #lastRow(): Sql {
    return sql`select ${this.#key} as key ${this.#list(this.#connection.it)} ${this.#clauses.lastScanned(this.#key)}`
  }

  /** The last key that the scan looked at. */
  get #lastScanned(): Sql {
    const key = sql`scanned.key`
    const keys = sql`select ${this.#key} as key ${this.#list(this.#connection.it)} ${this.#clauses.scanned(this.#key)}`
    return sql`(select ${key} from (${keys}) scanned ${this.#clauses.reverseOrder(key)} limit 1)`
  }

  #found(): Sql {
    const { it } = this.#connection
    const found = this.#clauses.isNumbered ? this.#numbered() : this.#scanned()
    if (!this.#clauses.oneMore) return found
    return sql`select ${it}.*, row_number() over (${this.#clauses.scanOrder(sql`${it}.page_key`)}) as page_place from (${found}) ${it}`
  }

  #scanned(): Sql {
    const { read, it, rules, part, row } = this.#connection
    const found = read.found?.(this.#clauses, rules, part, row)
    if (found) return sql`select ${it}.*, ${this.#key} as page_key from (${found}) ${it}`
    return sql`${this.#shownOf(this.#scan(this.#connection.it))} ${this.#clauses.top(this.#key)}`
  }

  #shownOf(scanned: Sql): Sql {
    const { it } = this.#connection
    return sql`select ${it}.*, ${this.#key} as page_key ${shownOf(this.#connection, it, scanned)}`
  }

  // The keys of a numbered page are found first, and then each row by its key, so rows that are skipped are never fetched.
  #numbered(): Sql {
    const { read, it, numberedBy } = this.#connection
    const numbered = keyOf(read, numberedBy)
    const keys = sql`select ${numbered} ${keysOf(this.#connection, numberedBy, this.#scan(numberedBy))}
      ${this.#clauses.top(numbered)} offset ${this.#clauses.offset}`
    const row = this.#scan(it, sql`${keyOf(read, it)} = numbered.key limit 1`)
    return sql`select ${it}.* from unnest(array(${keys})) as numbered(key) cross join lateral (${this.#shownOf(row)}) ${it}`
  }

  /** The rows that the scan meets, or one of them. */
  #scan(alias: Sql, one?: Sql): Sql {
    const { read } = this.#connection
    const key = keyOf(read, alias)
    const rows = read.join ? joinOf(alias) : alias
    return sql`select ${rows}.* ${this.#list(alias)} ${one ? sql`and ${one}` : this.#clauses.scanned(key)}`
  }

  /** The `from … where …` of the rows between the cursors. */
  #list(alias: Sql): Sql {
    const { read, rules, part } = this.#connection
    const query = read.query?.(this.#clauses, rules, part)
    return sql`${scanOf(this.#connection, alias, query)} and ${this.#clauses.within(keyOf(read, alias))}`
  }
}
