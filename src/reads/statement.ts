import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isUnionType,
  TypeNameMetaFieldDef,
} from 'graphql'
import { fromArguments } from './arguments.ts'
import { columns, type Entry, leafOf, leafTypeOf, objectsOf } from './json.ts'
import { asksForMore, Page, type PageSelection } from './page.ts'
import type { FindRead, PageRead, Sql } from './read.ts'
import { Room } from './room.ts'
import { type Fields, type Operation, type Selected, Selection, setsOf, type Variant } from './selection.ts'
import { type PageRequest, pageRequest, Window } from './window.ts'

type Variables = Operation['variableValues']

/** What one parameter has: a part of a page's request, or a value that a look-up is given. */
type Input =
  | { readonly page: number; readonly part: keyof PageRequest }
  | { readonly find: number; readonly name: string }

/** A composed statement: its text depends on the document and on its switches (see `Variants`), its values on all variables. */
export type Statement = { readonly text: Sql; readonly values: (variables: Variables) => unknown[] }

/** What reads nothing, because nothing that is stored was selected. */
export const nothing: Statement = { text: '', values: () => [] }

/** The key under which an object of an interface says which type it is of: no response key has such a name. */
export const typeKey = '$type'

/** The first three parameters of every statement; a look-up by keys has these as the fourth. */
const viewerRow = '(select $1::uuid as id, $2::boolean as reads_email, $3::boolean as sees_gravatars) viewer'

const entityOf = (type: GraphQLCompositeType) => (isUnionType(type) ? undefined : type.extensions.entity)
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Composes statements that answer in the shape of the response: every object has its response keys, in their order. Each nested
 * field adds its expression or subquery, so all that is selected below a root is one statement, however deep.
 */
export class Composer {
  readonly #operation: Operation
  readonly #selection: Selection
  readonly #tellsTypes: boolean
  readonly #room: Room
  readonly #pages: ((variables: Variables) => PageRequest)[] = []
  readonly #finds: ((variables: Variables) => ReturnType<FindRead['given']>)[] = []
  readonly #inputs: Input[] = []
  #rows = 0
  #parameters = 3

  /**
   * With `tellsTypes`, objects of an interface have their type under `typeKey`, for an executor that completes them. Throws
   * `VALIDATION_FAILED` as soon as there is no room for a statement.
   */
  constructor(operation: Operation, { tellsTypes }: { readonly tellsTypes: boolean }, room = new Room()) {
    this.#operation = operation
    this.#room = room
    this.#selection = new Selection(operation)
    this.#tellsTypes = tellsTypes
  }

  /** The statement that reads fields with a read of their own, as one row with a column of JSON for each: `f0`, `f1`, … */
  fields(fields: readonly Selected[]): Statement {
    return this.#statement(() => {
      const read = fields.map((selected, index) => `${this.#read(selected, 'viewer', '')}::text as f${index}`)
      return `select ${read.join(', ')} from ${viewerRow}`
    })
  }

  /** The statement that reads `type` by its ids: a row for each that is found, with its `key` and its `json`; `nothing` where a payload's own fields are all. */
  byId(type: GraphQLCompositeType, nodes: readonly FieldNode[]): Statement {
    const it = this.#nextRow()
    const ids = this.#parameter('uuid[]')
    const entity = entityOf(type)
    // A payload of which only what the mutation itself knows was selected needs no statement.
    if (!entity && isObjectType(type) && !this.#readsAnything(type, nodes)) return nothing
    const source = entity ? `${entity.source} ${it}` : `unnest(${ids}) ${it}(id)`
    const found = [`${it}.id = any(${ids})`, entity?.where?.(it)].filter(Boolean).join(' and ')
    return this.#statement(() => {
      const object = this.#object(type, it, nodes)
      return `select ${it}.id as key, ${object}::text as json from ${viewerRow}, ${source} where ${found}`
    })
  }

  #readsAnything(type: GraphQLObjectType, nodes: readonly FieldNode[]): boolean {
    return [...this.#selection.fields(type, setsOf(nodes)).values()].some(({ field }) => field.extensions.read)
  }

  #statement(compose: () => Sql): Statement {
    const text = this.#room.within(compose)
    // A statement is run again and again, so it holds nothing of the variables that it was composed with.
    const [pages, finds, inputs] = [this.#pages, this.#finds, this.#inputs]
    return {
      text,
      values: (variables) => {
        const requests = pages.map((requestOf) => requestOf(variables))
        const found = finds.map((givenOf) => givenOf(variables))
        return inputs.map((input) =>
          'page' in input ? requests[input.page]?.[input.part] : (found[input.find]?.[input.name] ?? null),
        )
      },
    }
  }

  #parameter(type: Sql): Sql {
    this.#parameters += 1
    return `$${this.#parameters}::${type}`
  }

  #input(type: Sql, input: Input): Sql {
    this.#inputs.push(input)
    return this.#parameter(type)
  }

  #nextRow(): Sql {
    this.#rows += 1
    return `t${this.#rows}`
  }

  /** The object of a row, which is in scope or comes from a clause of its own. */
  #object(type: GraphQLCompositeType, row: Sql, nodes: readonly FieldNode[], clause: Sql = ''): Sql {
    const variants = this.#selection.variants(type, setsOf(nodes))
    const columnsOf = ({ of, fields }: Variant, typename: Sql) => {
      const told: readonly Entry[] = this.#tellsTypes && !isObjectType(type) ? [[typeKey, typename]] : []
      return columns([...told, ...this.#entries(of, fields, row, typename)])
    }
    const [first, ...others] = variants
    if (first && others.length === 0) {
      const possible = isObjectType(type) ? [type] : this.#operation.schema.getPossibleTypes(type)
      const typename = switched(row, possible, (of) => nameOf(of))
      return objectsOf(`select ${columnsOf(first, typename)} ${clause}`)
    }
    const objects = new Map(
      variants.map((variant) => [variant.of, objectsOf(`select ${columnsOf(variant, nameOf(variant.of))}`)]),
    )
    const object = switched(row, [...objects.keys()], (of) => objects.get(of) ?? 'null')
    return `(select ${object} ${clause})`
  }

  #entries(type: GraphQLObjectType, fields: Fields, row: Sql, typename: Sql): Entry[] {
    return [...fields].flatMap(([key, selected]) => {
      const value = this.#room.within(() => this.#value(type, selected, row, typename))
      return value === undefined ? [] : [[key, value] as const]
    })
  }

  /** What a field is in the answer; undefined for what is not stored: the own fields of a payload. */
  #value(type: GraphQLObjectType, selected: Selected, row: Sql, typename: Sql): Sql | undefined {
    const { field } = selected
    if (field.extensions.read) return this.#read(selected, row, typename)
    if (!type.extensions.entity) return undefined
    if (field === TypeNameMetaFieldDef) return typename
    const leaf = leafTypeOf(field.type)
    return leaf && leafOf(leaf, `${row}.${snakeCase(field.name)}`)
  }

  #read(selected: Selected, row: Sql, typename: Sql): Sql {
    const { field, nodes } = selected
    const { read } = field.extensions
    if (!read) throw new TypeError(`The field ${field.name} does not say how it is read`)
    if ('value' in read) return read.value(row, typename)
    const type = compositeOf(field)
    if ('page' in read) return this.#page(read, selected, row)
    const it = this.#nextRow()
    if ('one' in read) return this.#object(type, it, nodes, read.one(it, row))
    if ('find' in read) return this.#object(type, it, nodes, this.#find(read, selected, it))
    return `(select coalesce(json_agg(${this.#object(type, it, nodes)} order by ${read.by(it)}), '[]') ${read.list(it, row)})`
  }

  #find({ find, given }: FindRead, { field, nodes: [node] }: Selected, it: Sql): Sql {
    if (!node) throw new TypeError(`The field ${field.name} is read, but not selected`)
    const at = this.#finds.push(fromArguments(field, node, given)) - 1
    return find(it, (name, type) => this.#input(type, { find: at, name }))
  }

  #page(read: PageRead, { field, nodes }: Selected, row: Sql): Sql {
    const [node] = nodes
    if (!node) throw new TypeError(`The field ${field.name} is read, but not selected`)
    const [it, numberedBy] = [this.#nextRow(), this.#nextRow()]
    const within = (selected: Selected) => {
      const type = compositeOf(selected.field)
      if (!isObjectType(type)) throw new TypeError(`${type.name} is no part of a page`)
      return { type, fields: this.#selection.fields(type, setsOf(selected.nodes)) }
    }
    const selection: PageSelection = {
      ...within({ field, nodes }),
      within,
      node: (selected) => this.#object(compositeOf(selected.field), it, selected.nodes),
    }
    const requestOf = fromArguments(field, node, pageRequest)
    const { backward } = requestOf(this.#operation.variableValues)
    const at = this.#pages.push(requestOf) - 1
    const part = (of: keyof PageRequest, type: Sql) => {
      let sql: Sql | undefined
      return () => (sql ??= this.#input(type, { page: at, part: of }))
    }
    const given = (name: string) => node.arguments?.some((argument) => argument.name.value === name)
    const window = new Window(read, backward, asksForMore(selection, backward), {
      size: part('size', 'int'),
      after: given('after') ? part('after', 'uuid') : undefined,
      before: given('before') ? part('before', 'uuid') : undefined,
      offset: given('offset') ? part('offset', 'int') : undefined,
    })
    return new Page(selection, { read, row, it, numberedBy }, backward, window).compose()
  }
}

const nameOf = ({ name }: GraphQLObjectType): Sql => `'${name}'`

/** What differs between the types that a row can be of. */
function switched(row: Sql, types: readonly GraphQLObjectType[], sqlOf: (type: GraphQLObjectType) => Sql): Sql {
  return types.reduceRight((otherwise, type) => {
    const where = type.extensions.entity?.where?.(row)
    return otherwise === '' || !where ? sqlOf(type) : `case when ${where} then ${sqlOf(type)} else ${otherwise} end`
  }, '')
}

function compositeOf({ name, type }: GraphQLField<unknown, unknown>): GraphQLCompositeType {
  const named = getNamedType(type)
  if (!isCompositeType(named)) throw new TypeError(`The field ${name} is a leaf, and has no rows`)
  return named
}
