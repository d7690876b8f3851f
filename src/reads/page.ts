import { type GraphQLObjectType, TypeNameMetaFieldDef } from 'graphql'
import { columns, cursorOf, type Entry, objectOf, objectsOf } from './json.ts'
import type { PageRead, Sql } from './read.ts'
import type { Fields, Selected } from './selection.ts'
import type { Window } from './window.ts'

/** What is selected of a connection and of what it consists of. */
export type PageSelection = {
  readonly type: GraphQLObjectType
  readonly fields: Fields
  /** What is selected of the object that a field leads to, and the type of that. */
  readonly within: (selected: Selected) => { readonly type: GraphQLObjectType; readonly fields: Fields }
  /** The object of a node, from its row. */
  readonly node: (selected: Selected) => Sql
}

/** Where the rows of a page come from: the list, the row that it belongs to, and what its own rows are called. */
export type PageRows = { readonly read: PageRead; readonly row: Sql; readonly it: Sql; readonly numberedBy: Sql }

/** Whether it makes a difference to the answer that there are more rows than the page has. */
export function asksForMore({ fields, within }: PageSelection, backward: boolean): boolean {
  const flag = backward ? 'hasPreviousPage' : 'hasNextPage'
  const pageInfos = [...fields.values()].filter(({ field }) => field.name === 'pageInfo')
  return pageInfos.some((selected) => [...within(selected).fields.values()].some(({ field }) => field.name === flag))
}

/** Composes a connection (Relay Cursor Connections Specification, section 2) as the answer has it. */
export class Page {
  readonly #selection: PageSelection
  readonly #rows: PageRows
  readonly #backward: boolean
  readonly #window: Window
  readonly #oneMore: boolean
  #isRead = false

  constructor(selection: PageSelection, rows: PageRows, backward: boolean, window: Window) {
    this.#selection = selection
    this.#rows = rows
    this.#backward = backward
    this.#window = window
    this.#oneMore = asksForMore(selection, backward)
  }

  /** Leaves out the one row more that tells whether there are more. */
  get #cut(): Sql {
    return this.#oneMore ? ` filter (where ${this.#rows.it}.page_place <= ${this.#window.size})` : ''
  }

  /** The connection as a JSON object. */
  compose(): Sql {
    const { type, fields } = this.#selection
    const entries = [...fields].map(([key, selected]): Entry => [key, this.#part(type, selected)])
    return this.#isRead
      ? objectsOf(`select ${columns(entries)} from (${this.#found()}) ${this.#rows.it}`)
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
        return read.total?.(row) ?? 'null::int'
      default:
        return typenameOf(type, selected)
    }
  }

  #edgePart(selected: Selected): Sql | undefined {
    const { name } = selected.field
    if (name === 'node') return this.#selection.node(selected)
    return name === 'cursor' ? cursorOf(`${this.#rows.it}.page_key`) : undefined
  }

  #pageInfoPart({ field: { name } }: Selected): Sql | undefined {
    const backward = this.#backward
    if (name === 'startCursor') return this.#end(this.#rows.read.order)
    if (name === 'endCursor') return this.#end(this.#rows.read.order === 'asc' ? 'desc' : 'asc')
    if (name === 'hasNextPage') return backward ? this.#window.passesOver : this.#more()
    if (name === 'hasPreviousPage') return backward ? this.#more() : this.#window.passesOver
    return undefined
  }

  #object(selected: Selected, part: (selected: Selected) => Sql | undefined): Sql {
    const { type, fields } = this.#selection.within(selected)
    return objectOf([...fields].map(([key, each]): Entry => [key, part(each) ?? typenameOf(type, each)]))
  }

  #array(object: Sql): Sql {
    this.#isRead = true
    const { it, read } = this.#rows
    return `coalesce(json_agg(${object} order by ${it}.page_key ${read.order})${this.#cut}, '[]')`
  }

  #end(order: PageRead['order']): Sql {
    this.#isRead = true
    const { it } = this.#rows
    return cursorOf(`(array_agg(${it}.page_key order by ${it}.page_key ${order})${this.#cut})[1]`)
  }

  #more(): Sql {
    this.#isRead = true
    return `count(${this.#rows.it}.page_key) > ${this.#window.size}`
  }

  #found(): Sql {
    const { it } = this.#rows
    const found = this.#window.isNumbered ? this.#numbered() : this.#walked()
    if (!this.#oneMore) return found
    return `select ${it}.*, row_number() over (${this.#window.walk(`${it}.page_key`)}) as page_place from (${found}) ${it}`
  }

  #walked(): Sql {
    const key = this.#rows.read.key(this.#rows.it)
    return `${this.#keyed(key)} ${this.#window.top(key)}`
  }

  // The keys of a numbered page are found first, then each row by its key, so what is passed over is never fetched.
  #numbered(): Sql {
    const { read, row, it, numberedBy } = this.#rows
    const key = read.key(it)
    const list = this.#windowed(read.keys?.(numberedBy, row) ?? this.#page(numberedBy), numberedBy)
    const keys = this.#window.numbered(read.key(numberedBy), list, read.total?.(row))
    return `select ${it}.* from unnest(array(${keys})) as numbered(key)
      cross join lateral (${this.#keyed(key)} and ${key} = numbered.key limit 1) ${it}`
  }

  #keyed(key: Sql): Sql {
    return `select ${this.#rows.it}.*, ${key} as page_key ${this.#windowed(this.#page(this.#rows.it), this.#rows.it)}`
  }

  #page(alias: Sql): Sql {
    return this.#rows.read.page(alias, this.#rows.row, this.#window)
  }

  #windowed(list: Sql, alias: Sql): Sql {
    return `${list} and ${this.#window.within(this.#rows.read.key(alias))}`
  }
}

function typenameOf(type: GraphQLObjectType, { field }: Selected): Sql {
  if (field !== TypeNameMetaFieldDef) throw new TypeError(`${type.name} has a field that no page has: ${field.name}`)
  return `'${type.name}'`
}
