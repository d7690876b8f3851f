import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { OneRead, PageRead, Sql } from './read.ts'
import { type Selected, Selection } from './selection.ts'
import { type PageArgs, type PageRequest, pageRequest, Window } from './window.ts'

/** One page of a statement: the connection field and the node that has its arguments. */
type PageInput = { readonly field: GraphQLField<unknown, unknown>; readonly node: FieldNode }

/** One parameter of a statement, taken from what a page asks for. */
type Input = { readonly page: number; readonly of: 'size' | 'after' | 'before' | 'offset' }

/** A composed statement: its text depends on the document alone, its values on the variables. */
export type Statement = {
  readonly text: Sql
  readonly values: (variables: Readonly<Record<string, unknown>>) => unknown[]
}

/** What reads nothing, because nothing that is stored was selected. */
export const nothing: Statement = { text: '', values: () => [] }

/** The first two parameters of every statement; a look-up has its keys as the third. */
const viewerRow = '(select $1::uuid as id, $2::boolean as reads_email) viewer'

/** Postgres takes 100 arguments to a function, so an object of more entries is put together from several. */
const entriesPerObject = 48

/** How rows are found by a key: the SQL of the key of the row `it`, and its type. */
export type Lookup = { readonly key: (it: Sql) => Sql; readonly type: 'uuid' | 'text' }

/** The arguments that a node gives to its connection field. */
export function pageArgs(field: PageInput['field'], node: FieldNode, variables: Readonly<Record<string, unknown>>) {
  const args: PageArgs = getArgumentValues(field, node, variables)
  return args
}

const entityOf = (type: GraphQLCompositeType) => (isUnionType(type) ? undefined : type.extensions.entity)
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function jsonObject(entries: readonly [key: string, value: Sql][]): Sql {
  if (entries.length <= entriesPerObject)
    return `json_build_object(${entries.map(([key, value]) => `'${key}', ${value}`).join(', ')})`
  const parts: Sql[] = []
  for (let start = 0; start < entries.length; start += entriesPerObject) {
    parts.push(`${jsonObject(entries.slice(start, start + entriesPerObject))}::jsonb`)
  }
  return `(${parts.join(' || ')})`
}

/** Composes one statement from all that is selected under one field: each nested field adds its expression or subquery. */
export class Composer {
  readonly #variables: Readonly<Record<string, unknown>>
  readonly #selection: Selection
  readonly #pages: PageInput[] = []
  readonly #inputs: Input[] = []
  #rows = 0
  #parameters = 2

  constructor(info: GraphQLResolveInfo) {
    this.#variables = info.variableValues
    this.#selection = new Selection(info)
  }

  /** The statement that reads a field with a read of its own, as one row with a `json`. */
  field(field: GraphQLField<unknown, unknown>, nodes: FieldNode[]): Statement {
    return this.#statement(`select ${this.#read({ field, nodes }, 'viewer')}::text as json from ${viewerRow}`)
  }

  /** The statement that reads `type` by its keys: a row for each that is found, with its `key` and its `json`; `nothing` where a payload's own fields are all. */
  byKey(type: GraphQLCompositeType, nodes: readonly FieldNode[], { key, type: keyType }: Lookup): Statement {
    const it = this.#nextRow()
    const keys = `${this.#parameter()}::${keyType}[]`
    const entity = entityOf(type)
    const source = entity ? `${entity.source} ${it}` : `unnest(${keys}) ${it}(id)`
    const found = [`${key(it)} = any(${keys})`, entity?.where?.(it)].filter(Boolean).join(' and ')
    const object = this.#object(type, it, nodes)
    // A payload of which only what the mutation itself knows was selected needs no statement.
    if (!entity && object.length === 0) return nothing
    return this.#statement(
      `select ${key(it)} as key, ${jsonObject(object)}::text as json from ${viewerRow}, ${source} where ${found}`,
    )
  }

  #statement(text: Sql): Statement {
    const [pages, inputs] = [this.#pages, this.#inputs]
    return {
      text,
      values: (variables) => {
        const requests = pages.map(({ field, node }): PageRequest => pageRequest(pageArgs(field, node, variables)))
        return inputs.map(({ page, of }) => requests[page]?.[of] ?? null)
      },
    }
  }

  #parameter(): Sql {
    this.#parameters += 1
    return `$${this.#parameters}`
  }

  #nextRow(): Sql {
    this.#rows += 1
    return `t${this.#rows}`
  }

  #object(type: GraphQLCompositeType, row: Sql, nodes: readonly FieldNode[]): [string, Sql][] {
    const entity = entityOf(type)
    const entries: [string, Sql][] = []
    if (!isObjectType(type))
      entries.push(['__typename', `case when ${row}.parent_id is null then 'Post' else 'Reply' end`])
    for (const [slot, selected] of this.#selection.fields(type, nodes)) {
      const { field } = selected
      if (field.extensions.read) entries.push([slot, this.#read(selected, row)])
      else if (entity && isLeafType(getNamedType(field.type)))
        entries.push([field.name, `${row}.${snakeCase(field.name)}`])
    }
    return entries
  }

  #read(selected: Selected, row: Sql): Sql {
    const { read } = selected.field.extensions
    if (!read) throw new TypeError(`The field ${selected.field.name} does not say how it is read`)
    if ('value' in read) return read.value(row)
    const type = getNamedType(selected.field.type)
    if (!isCompositeType(type)) throw new TypeError(`The field ${selected.field.name} is a leaf, and has no rows`)
    return 'one' in read ? this.#one(read, type, selected.nodes, row) : this.#page(read, type, selected, row)
  }

  #one({ one }: OneRead, type: GraphQLCompositeType, nodes: readonly FieldNode[], row: Sql): Sql {
    const it = this.#nextRow()
    return `(select ${jsonObject(this.#object(type, it, nodes))} ${one(it, row)})`
  }

  #page(read: PageRead, connection: GraphQLCompositeType, { field, nodes }: Selected, row: Sql): Sql {
    const named = (type: GraphQLCompositeType, from: readonly FieldNode[], name: string) =>
      this.#selection.named(type, from, name)
    const pageInfo = named(connection, nodes, 'pageInfo')
    const edges = named(connection, nodes, 'edges')
    const plain = named(connection, nodes, 'nodes')
    const entries: [string, Sql][] = []
    if (pageInfo.length + edges.length + plain.length > 0) {
      const edge = this.#typeOf(connection, 'edges')
      const node = this.#typeOf(edge, 'node')
      const keyed = named(edge, edges, 'cursor').length > 0 || pageInfo.length > 0
      entries.push([
        'rows',
        this.#rowsOf(
          read,
          node,
          [...plain, ...named(edge, edges, 'node')],
          { field, nodes, keyed, oneMore: pageInfo.length > 0 },
          row,
        ),
      ])
    }
    if (read.total && named(connection, nodes, 'totalCount').length > 0) entries.push(['total', read.total(row)])
    return jsonObject(entries)
  }

  #rowsOf(
    read: PageRead,
    type: GraphQLCompositeType,
    picked: readonly FieldNode[],
    { field, nodes, keyed, oneMore }: Selected & { keyed: boolean; oneMore: boolean },
    row: Sql,
  ): Sql {
    const it = this.#nextRow()
    const window = this.#window(read, { field, nodes }, oneMore)
    const key = read.key(it)
    const object = this.#object(type, it, picked)
    if (keyed) object.push(['page_key', `${it}.page_key`])
    const list = (alias: Sql) => `${read.page(alias, row, window)} and ${window.within(read.key(alias))}`
    const found = `select ${it}.*, ${key} as page_key ${list(it)}`
    const numbered = this.#nextRow()
    // The keys of a numbered page are found first, then each row by its key, so what is passed over is never fetched.
    const rows = window.isNumbered
      ? `select ${it}.* from unnest(array(${window.numbered(read.key(numbered), list(numbered), read.total?.(row))})) as numbered(key)
          cross join lateral (${found} and ${key} = numbered.key limit 1) ${it}`
      : `${found} ${window.top(key)}`
    return `(select coalesce(json_agg(${jsonObject(object)} order by ${it}.page_key ${read.order}), '[]') from (${rows}) ${it})`
  }

  #window(read: PageRead, { field, nodes }: Selected, oneMore: boolean): Window {
    const [node] = nodes
    if (!node) throw new TypeError(`The field ${field.name} is read, but not selected`)
    const page = this.#pages.push({ field, node }) - 1
    const parameter = (of: Input['of'], type: Sql) => {
      this.#inputs.push({ page, of })
      return `${this.#parameter()}::${type}`
    }
    const given = (name: string) => node.arguments?.some((argument) => argument.name.value === name)
    const { backward } = pageRequest(pageArgs(field, node, this.#variables))
    return new Window(read, backward, {
      limit: `${parameter('size', 'int')}${oneMore ? ' + 1' : ''}`,
      after: given('after') ? parameter('after', 'uuid') : undefined,
      before: given('before') ? parameter('before', 'uuid') : undefined,
      offset: given('offset') ? parameter('offset', 'int') : undefined,
    })
  }

  #typeOf(type: GraphQLCompositeType, field: string): GraphQLCompositeType {
    const named = 'getFields' in type ? type.getFields()[field] : undefined
    const of = named && getNamedType(named.type)
    if (!of || !isCompositeType(of)) throw new TypeError(`${type.name} is no connection: it has no ${field}`)
    return of
  }
}
