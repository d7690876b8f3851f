import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  isObjectType,
  TypeNameMetaFieldDef,
} from 'graphql'
import { argumentDecoder } from './arguments.ts'
import { asksForMore, ConnectionCompiler, type SelectedConnection } from './connection-compiler.ts'
import type { LookupListRead, PageRead, Part, Parts, ReaderKind, ReaderRow, Rules } from './field-reads.ts'
import { columns, type Entry, leafOf, leafTypeOf, measured, objectsOf } from './json.ts'
import { maxScan, maxScanInLists, SqlSize } from './limits.ts'
import { PageClauses } from './page-clauses.ts'
import type { PageRange } from './page-range.ts'
import { clauseOf, columnOf, listsVisible, modelOf, modelOfRows, ofRow, tableOf, visible } from './rows.ts'
import {
  compositeOf,
  type Fields,
  partOfPage,
  type Selected,
  Selection,
  type SelectionContext,
  setsOf,
  type TypeSelection,
  type VariableValues,
} from './selection.ts'
import { all, comma, type Sql, sql } from './sql.ts'

/** The value of a parameter, which comes from the arguments of a field. */
type Input = (variables: VariableValues) => unknown

/** A statement with the values of its parameters. Only some variables change its text (see `StatementCache`); all may change its values. */
export type CompiledStatement = { readonly text: string; readonly values: (variables: VariableValues) => unknown[] }

/** The statement of a selection that reads nothing stored. It is not run. */
export const emptyStatement: CompiledStatement = { text: '', values: () => [] }

/** The key that holds the type of an object of an interface. No response key has this name. */
export const typeKey = '$type'

/** What statements are compiled for. */
type CompilerOptions = {
  /** Whether an executor completes their objects. */
  readonly includeTypename: boolean
  readonly reader: ReaderKind
}

/**
 * Compiles selections to statements whose rows have the shape of the response: every object has its response keys, in their order.
 * Each nested field adds an expression or a subquery, so everything selected below a root field is one statement, however deep.
 */
export class SqlCompiler {
  readonly #operation: SelectionContext
  readonly #selection: Selection
  readonly #options: CompilerOptions
  readonly #rules: Rules
  readonly #viewer: Sql
  readonly #size: SqlSize
  readonly #inputs: Input[] = []
  #rows = 0
  #lists = 0
  #parameters: number

  /**
   * With `includeTypename`, objects of an interface have their type under `typeKey`, which an executor needs to complete them. Throws
   * `InvalidOperation` when the SQL gets too long.
   */
  constructor(operation: SelectionContext, options: CompilerOptions, size = new SqlSize()) {
    this.#operation = operation
    this.#size = size
    this.#selection = new Selection(operation)
    this.#options = options
    this.#rules = options.reader.rules
    const { source, parameters } = compiledRow(options.reader.row)
    this.#viewer = source
    this.#parameters = parameters
  }

  /** The statement of fields that have a read: one row with a column of JSON for each, called `f0`, `f1`, … */
  fields(fields: readonly Selected[]): CompiledStatement {
    const names = fields.map((_field, index) => sql`f${index}`)
    return this.#statement(names, () => {
      const read = fields.map((selected, index) => sql`${this.#read(selected, sql`viewer`, sql``)}::text as f${index}`)
      return sql`select ${sql.join(read, comma)} from ${this.#viewer}`
    })
  }

  /**
   * The statement that reads an object by its id: a row with its `json`, or none. It is `emptyStatement` for a payload of which only
   * fields that the mutation knows are selected.
   */
  byId(type: GraphQLCompositeType, nodes: readonly FieldNode[]): CompiledStatement {
    const it = this.#nextRow()
    const id = this.#parameter(sql`uuid`)
    const model = modelOf(type)
    if (!model && isObjectType(type) && !this.#readsAnything(type, nodes)) return emptyStatement
    const source = model ? sql`${tableOf(model)} ${it}` : sql`(select ${id} as id) ${it}`
    const where = isObjectType(type) ? type.extensions.where?.(it) : undefined
    const isVisible = model ? visible(this.#rules, model, 'everywhere', ofRow(it)) : undefined
    const found = all(sql`${it}.id = ${id}`, where, isVisible)
    return this.#statement([sql`json`], () => {
      // Many objects may be looked up together.
      const object = this.#inList(() => this.#object(type, it, nodes))
      return sql`select ${object}::text as json from ${this.#viewer}, ${source} where ${found}`
    })
  }

  #readsAnything(type: GraphQLObjectType, nodes: readonly FieldNode[]): boolean {
    return [...this.#selection.fields(type, setsOf(nodes)).values()].some(({ field }) => field.extensions.read)
  }

  /** The statement with these columns of JSON. What measures them does not count to the size of the SQL. */
  #statement(columns: readonly Sql[], compile: () => Sql): CompiledStatement {
    const { text } = measured(this.#size.within(compile), columns)
    // The statement is cached, so it must not hold the variables that it was compiled with.
    const inputs = this.#inputs
    return { text, values: (variables) => inputs.map((input) => input(variables)) }
  }

  #parameter(type: Sql): Sql {
    this.#parameters += 1
    return sql`$${this.#parameters}::${type}`
  }

  #input(type: Sql, input: Input): Sql {
    this.#inputs.push(input)
    return this.#parameter(type)
  }

  #nextRow(): Sql {
    this.#rows += 1
    return sql`t${this.#rows}`
  }

  /** The JSON object of a row, which is in scope or comes from the clause. */
  #object(type: GraphQLCompositeType, row: Sql, nodes: readonly FieldNode[], clause: Sql = sql``): Sql {
    const selections = this.#selection.byType(type, setsOf(nodes))
    const columnsOf = ({ of, fields }: TypeSelection, typename: Sql) => {
      const typeEntry: readonly Entry[] =
        this.#options.includeTypename && !isObjectType(type) ? [[typeKey, typename]] : []
      return columns([...typeEntry, ...this.#entries(of, fields, row, typename)])
    }
    const [first, ...others] = selections
    if (first && others.length === 0) {
      const possible = isObjectType(type) ? [type] : this.#operation.schema.getPossibleTypes(type)
      const typename = switched(row, possible, typenameOf)
      return objectsOf(sql`select ${columnsOf(first, typename)} ${clause}`)
    }
    const objects = new Map(
      selections.map((each) => [each.of, objectsOf(sql`select ${columnsOf(each, typenameOf(each.of))}`)]),
    )
    const object = switched(row, [...objects.keys()], (of) => objects.get(of) ?? sql`null`)
    return sql`(select ${object} ${clause})`
  }

  #entries(type: GraphQLObjectType, fields: Fields, row: Sql, typename: Sql): Entry[] {
    return [...fields].flatMap(([key, selected]) => {
      const value = this.#size.within(() => this.#value(type, selected, row, typename))
      return value === undefined ? [] : [[key, value] as const]
    })
  }

  /** The value of a field in the response; undefined for a field that is not stored, such as the `action` of a payload. */
  #value(type: GraphQLObjectType, selected: Selected, row: Sql, typename: Sql): Sql | undefined {
    const { field } = selected
    const model = modelOf(type)
    if (field.extensions.read) return this.#read(selected, row, typename, model)
    if (!model) return undefined
    if (field === TypeNameMetaFieldDef) return typename
    const leaf = leafTypeOf(field.type)
    const column = field.extensions.pothosExposedField
    if (!leaf || column === undefined) throw new TypeError(`${type.name}.${field.name} is no column, and has no read`)
    return leafOf(leaf, sql`${row}.${columnOf(column)}`)
  }

  #read(selected: Selected, row: Sql, typename: Sql, owner?: string): Sql {
    const { field, nodes } = selected
    const { read } = field.extensions
    if (!read) throw new TypeError(`The field ${field.name} has no read`)
    if ('value' in read) return read.value(row, typename)
    const type = compositeOf(field)
    if ('order' in read) return this.#connection(read, selected, row, owner)
    if ('keysOf' in read) return this.#lookupList(read, selected, row)
    const it = this.#nextRow()
    const rules = this.#rules
    const rows = { read, model: modelOfRows(type), rules, row, part: this.#parts(read, selected) }
    if (!('orderBy' in read)) return this.#object(type, it, nodes, clauseOf({ ...rows, place: 'everywhere' }, it))
    const object = this.#inList(() => this.#object(type, it, nodes))
    const element = read.hasHidden ? sql`case when ${it}.is_shown then ${object} end` : object
    const list = sql`json_agg(${element} order by ${read.orderBy(it, rows.part, row)})`
    return sql`(select coalesce(${list}, '[]') ${clauseOf({ ...rows, place: 'lists' }, it, read.query?.(row, rules))})`
  }

  /** Compiles the elements of a list. */
  #inList(compile: () => Sql): Sql {
    this.#lists += 1
    const element = compile()
    this.#lists -= 1
    return element
  }

  /** The parts of the key that the arguments of a field give. */
  #parts({ types, keyOf }: Partial<Parts>, { field, nodes: [node] }: Selected): Part {
    const made = new Map<string, Sql>()
    return (name) => {
      if (!node || !keyOf) throw new TypeError(`The field ${field.name} has no key`)
      const known = made.get(name)
      if (known) return known
      const decode = argumentDecoder(field, node)
      const part = this.#input(types?.[name] ?? sql`text`, (variables) => decode(variables).key()[name] ?? null)
      made.set(name, part)
      return part
    }
  }

  // The keys are one parameter, because only scalars can be batched. The limit keeps the planner from reading whole tables.
  #lookupList(read: LookupListRead, { field, nodes }: Selected, row: Sql): Sql {
    const [node] = nodes
    if (!node) throw new TypeError(`The field ${field.name} is not selected`)
    const [it, key] = [this.#nextRow(), this.#nextRow()]
    const decode = argumentDecoder(field, node)
    const list = this.#input(sql`jsonb`, (variables) => JSON.stringify(decode(variables).keys()))
    const parts = Object.entries(read.types).map(([name, type]) => sql`${sql.identifier(name)} ${type}`)
    const type = compositeOf(field)
    const part = (name: string) => sql`${key}.${sql.identifier(name)}`
    const rules = this.#rules
    const found = clauseOf({ read, model: modelOfRows(type), place: 'everywhere', rules, row, part }, it)
    const object = this.#inList(() => this.#object(type, it, nodes))
    return sql`(select coalesce(json_agg(case when ${it}.id is not null then ${object} end order by ${key}.ordinality), '[]')
      from rows from (jsonb_to_recordset(${list}) as (${sql.join(parts, comma)})) with ordinality ${key}
      left join lateral (select ${it}.* ${found} limit 1) ${it} on true)`
  }

  #connection(declared: PageRead, selected: Selected, row: Sql, owner: string | undefined): Sql {
    const { field, nodes } = selected
    const [node] = nodes
    if (!node) throw new TypeError(`The field ${field.name} is not selected`)
    const { form = '' } = this.#options.reader
    const rules = this.#rules
    const read = { ...declared, ...declared.forms?.[form] }
    const [it, numberedBy] = [this.#nextRow(), this.#nextRow()]
    const selectedFields = ({ field, nodes }: Selected) => this.#selection.fields(partOfPage(field), setsOf(nodes))
    const nodeOf = ({ field, nodes }: Selected) => this.#inList(() => this.#object(compositeOf(field), it, nodes))
    const part = this.#parts(read, selected)
    const model = modelOfRows(compositeOf(partOfPage(field).getFields().nodes))
    const place = read.place ?? 'lists'
    const isOpen = owner && place !== 'everywhere' ? listsVisible(rules, owner, ofRow(row)) : undefined
    const rows = { read, model, place, rules, row, isOpen, part }
    const connection: SelectedConnection = { ...rows, it, numberedBy, selected, selectedFields, nodeOf }
    const decode = argumentDecoder(field, node)
    const backward = decode(this.#operation.variableValues).args.last != null
    const parameter = (part: keyof PageRange, type: Sql) => {
      let made: Sql | undefined
      return () => (made ??= this.#input(type, (variables) => decode(variables).range()[part]))
    }
    const given = (name: string) => node.arguments?.some((argument) => argument.name.value === name)
    const scanLimit = this.#lists > 0 ? maxScanInLists : maxScan
    const clauses = new PageClauses(read.order, backward, asksForMore(connection, backward), scanLimit, {
      size: parameter('size', sql`int`),
      after: given('after') ? parameter('after', sql`uuid`) : undefined,
      before: given('before') ? parameter('before', sql`uuid`) : undefined,
      offset: given('offset') ? parameter('offset', sql`int`) : undefined,
    })
    const object = new ConnectionCompiler(connection, backward, clauses).compile()
    return read.isVisible ? sql`case when ${read.isVisible(row)} then ${object} end` : object
  }
}

const typenameOf = ({ name }: GraphQLObjectType): Sql => sql.literal(name)

/** SQL that depends on which of these types a row has. */
function switched(row: Sql, types: readonly GraphQLObjectType[], sqlOf: (type: GraphQLObjectType) => Sql): Sql {
  const whenOthers = types.reduceRight<Sql | undefined>((otherwise, type) => {
    const where = type.extensions.where?.(row)
    return otherwise && where ? sql`case when ${where} then ${sqlOf(type)} else ${otherwise} end` : sqlOf(type)
  }, undefined)
  return whenOthers ?? sql`null`
}

/** The row as SQL, and how many parameters come before the others: the maximum size of the result in bytes, and one for each column. */
function compiledRow(row: ReaderRow): { readonly source: Sql; readonly parameters: number } {
  const columns = Object.entries(row).map(
    ([name, type], index) => sql`$${index + 2}::${type} as ${sql.identifier(name)}`,
  )
  return { source: sql`(select ${sql.join(columns, comma)}) viewer`, parameters: columns.length + 1 }
}
