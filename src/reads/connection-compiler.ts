import { type GraphQLObjectType, TypeNameMetaFieldDef } from 'graphql'
import { columns, cursorOf, type Entry, objectOf, objectsOf } from './json.ts'
import { inOrder, type Order, type PageClauses } from './page-clauses.ts'
import type { PageRead } from './read.ts'
import type { Fields, Selected } from './selection.ts'
import { type Sql, sql } from './sql.ts'

/** What an operation selects of a connection and its parts. */
export type ConnectionSelection = {
  readonly type: GraphQLObjectType
  readonly fields: Fields
  /** What is selected of the object of a field, and the type of that object. */
  readonly within: (selected: Selected) => { readonly type: GraphQLObjectType; readonly fields: Fields }
  /** The JSON object of a node, from its row. */
  readonly node: (selected: Selected) => Sql
}

/** Where the rows of a page come from: the list, the row that it belongs to, and the aliases of its own rows. */
export type PageRows = { readonly read: PageRead; readonly row: Sql; readonly it: Sql; readonly numberedBy: Sql }

/** Whether the response says if there are more rows than the page has. */
export function asksForMore({ fields, within }: ConnectionSelection, backward: boolean): boolean {
  const flag = backward ? 'hasPreviousPage' : 'hasNextPage'
  const pageInfos = [...fields.values()].filter(({ field }) => field.name === 'pageInfo')
  return pageInfos.some((selected) => [...within(selected).fields.values()].some(({ field }) => field.name === flag))
}

/** Compiles a connection (Relay Cursor Connections Specification, section 2) to one JSON object. */
export class ConnectionCompiler {
  readonly #selection: ConnectionSelection
  readonly #rows: PageRows
  readonly #backward: boolean
  readonly #clauses: PageClauses
  readonly #oneMore: boolean
  #isRead = false

  constructor(selection: ConnectionSelection, rows: PageRows, backward: boolean, clauses: PageClauses) {
    this.#selection = selection
    this.#rows = rows
    this.#backward = backward
    this.#clauses = clauses
    this.#oneMore = asksForMore(selection, backward)
  }

  /** Leaves out the extra row, which is read only to tell whether there are more. */
  get #cut(): Sql {
    return this.#oneMore ? sql` filter (where ${this.#rows.it}.page_place <= ${this.#clauses.size})` : sql``
  }

  /** The connection as a JSON object. */
  compile(): Sql {
    const { type, fields } = this.#selection
    const entries = [...fields].map(([key, selected]): Entry => [key, this.#part(type, selected)])
    return this.#isRead
      ? objectsOf(sql`select ${columns(entries)} from (${this.#found()}) ${this.#rows.it}`)
      : objectOf(entries)
  }

  #part(type: GraphQLObjectType, selected: Selected): Sql {
    const { read, row } = this.#rows
    switch (selected.field.name) {
      case 'nodes':
        return this.#array(this.#selection.node(selected))
      case 'edges':
        return this.#array(this.#object(selected, (part) => this.#edgePart(part)))
      case 'pageInfo':
        return this.#object(selected, (part) => this.#pageInfoPart(part))
      case 'totalCount':
        return read.total?.(row) ?? sql`null::int`
      default:
        return typenameOf(type, selected)
    }
  }

  #edgePart(selected: Selected): Sql | undefined {
    const { name } = selected.field
    if (name === 'node') return this.#selection.node(selected)
    return name === 'cursor' ? cursorOf(sql`${this.#rows.it}.page_key`) : undefined
  }

  #pageInfoPart({ field: { name } }: Selected): Sql | undefined {
    const backward = this.#backward
    if (name === 'startCursor') return this.#end(this.#rows.read.order)
    if (name === 'endCursor') return this.#end(this.#rows.read.order === 'asc' ? 'desc' : 'asc')
    if (name === 'hasNextPage') return backward ? this.#clauses.passesOver : this.#more()
    if (name === 'hasPreviousPage') return backward ? this.#more() : this.#clauses.passesOver
    return undefined
  }

  #object(selected: Selected, part: (selected: Selected) => Sql | undefined): Sql {
    const { type, fields } = this.#selection.within(selected)
    return objectOf([...fields].map(([key, each]): Entry => [key, part(each) ?? typenameOf(type, each)]))
  }

  #array(object: Sql): Sql {
    this.#isRead = true
    const { it, read } = this.#rows
    return sql`coalesce(json_agg(${object} order by ${it}.page_key ${inOrder[read.order]})${this.#cut}, '[]')`
  }

  #end(order: Order): Sql {
    this.#isRead = true
    const { it } = this.#rows
    return cursorOf(sql`(array_agg(${it}.page_key order by ${it}.page_key ${inOrder[order]})${this.#cut})[1]`)
  }

  #more(): Sql {
    this.#isRead = true
    return sql`count(${this.#rows.it}.page_key) > ${this.#clauses.size}`
  }

  #found(): Sql {
    const { it } = this.#rows
    const found = this.#clauses.isNumbered ? this.#numbered() : this.#walked()
    if (!this.#oneMore) return found
    return sql`select ${it}.*, row_number() over (${this.#clauses.walk(sql`${it}.page_key`)}) as page_place from (${found}) ${it}`
  }

  #walked(): Sql {
    const key = this.#rows.read.key(this.#rows.it)
    return sql`${this.#keyed(key)} ${this.#clauses.top(key)}`
  }

  // The keys of a numbered page are found first, and then each row by its key, so rows that are skipped are never fetched.
  #numbered(): Sql {
    const { read, row, it, numberedBy } = this.#rows
    const key = read.key(it)
    const list = this.#withinRange(read.keys?.(numberedBy, row) ?? this.#page(numberedBy), numberedBy)
    const keys = this.#clauses.numbered(read.key(numberedBy), list, read.total?.(row))
    return sql`select ${it}.* from unnest(array(${keys})) as numbered(key)
      cross join lateral (${this.#keyed(key)} and ${key} = numbered.key limit 1) ${it}`
  }

  #keyed(key: Sql): Sql {
    return sql`select ${this.#rows.it}.*, ${key} as page_key ${this.#withinRange(this.#page(this.#rows.it), this.#rows.it)}`
  }

  #page(alias: Sql): Sql {
    return this.#rows.read.page(alias, this.#rows.row, this.#clauses)
  }

  #withinRange(list: Sql, alias: Sql): Sql {
    return sql`${list} and ${this.#clauses.within(this.#rows.read.key(alias))}`
  }
}

function typenameOf(type: GraphQLObjectType, { field }: Selected): Sql {
  if (field !== TypeNameMetaFieldDef)
    throw new TypeError(`${type.name} has a field that is not part of a connection: ${field.name}`)
  return sql.literal(type.name)
}
