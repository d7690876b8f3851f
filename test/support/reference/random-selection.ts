import fc from 'fast-check'
import {
  doTypesOverlap,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
} from 'graphql'

type Variables = Readonly<Record<string, unknown>>

/** A query and two sets of variables, which differ in conditions, directions and page sizes. */
export type RandomQuery = { readonly source: string; readonly variables: Variables; readonly others: Variables }

/** The values of arguments, by name. */
export type Pools = Readonly<Record<'uuid' | 'by' | 'id' | 'name' | 'cursor' | 'text', fc.Arbitrary<unknown>>> & {
  readonly size: fc.Arbitrary<number>
  readonly offset: fc.Arbitrary<number>
}

type How = 'literal' | 'variable' | 'default'
type Given = {
  readonly argument: GraphQLArgument
  readonly value: unknown
  /** The value in the other set of variables. */
  readonly other: unknown
  readonly how: How
}
type Condition = { readonly name: 'skip' | 'include'; readonly value: boolean; readonly how: How }
type Item = { readonly conditions: readonly Condition[] } & (
  | {
      readonly kind: 'field'
      readonly name: string
      readonly aliased: boolean
      readonly given: readonly Given[]
      readonly set: readonly Item[] | undefined
      /** The same field again with another selection, which is merged with the first. */
      readonly again: Part | null
    }
  | { readonly kind: 'inline'; readonly on: string | undefined; readonly set: readonly Item[] }
  | { readonly kind: 'spread'; readonly name: string }
)
type Part = { readonly conditions: readonly Condition[]; readonly set: readonly Item[] }
type Fragment = { readonly name: string; readonly on: GraphQLCompositeType }

/** How many levels queries and fragments have at most. */
const usualDepth = { query: 7, fragment: 3 } as const
const fragmentTypes = [
  'User',
  'Publication',
  'Post',
  'Reply',
  'PostConnection',
  'ReplyConnection',
  'UserEdge',
  'PublicationEdge',
  'Node',
  'Author',
  'Book',
]

const how: fc.Arbitrary<How> = fc.constantFrom('literal', 'variable', 'default')
const condition: fc.Arbitrary<Condition> = fc.record({
  name: fc.constantFrom('skip', 'include'),
  value: fc.boolean(),
  how,
})
const conditions = fc.oneof(
  { weight: 8, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(condition, { minLength: 1, maxLength: 1 }) },
)

/** Random selections of a schema. Each arbitrary is created once, because they are deeply nested. */
class Selections {
  readonly #schema: GraphQLSchema
  readonly #pools: Pools
  readonly #known = new Map<string, fc.Arbitrary<readonly Item[]>>()

  constructor(schema: GraphQLSchema, pools: Pools) {
    this.#schema = schema
    this.#pools = pools
  }

  set(type: GraphQLCompositeType, left: number, fragments: readonly Fragment[]): fc.Arbitrary<readonly Item[]> {
    const key = `${type.name} ${left} ${fragments.length}`
    const known = this.#known.get(key)
    if (known) return known
    const made = fc.array(this.#item(type, left, fragments), { minLength: 1, maxLength: left > 3 ? 3 : 4 })
    this.#known.set(key, made)
    return made
  }

  #item(type: GraphQLCompositeType, left: number, fragments: readonly Fragment[]): fc.Arbitrary<Item> {
    // What is left of a budget, estimates, and when a token was used change by themselves. The change feed has tests of its own.
    const fields =
      'getFields' in type
        ? Object.values(type.getFields()).filter(({ name }) => !/^(rateLimit|change|server|accountLimits)/.test(name))
        : []
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)) && field.name !== 'lastUsedAt')
    const leaf = fc.oneof(
      { weight: 1, arbitrary: this.#field('__typename', [], undefined) },
      ...leaves.map((field) => ({ weight: 2, arbitrary: this.#field(field.name, [], undefined) })),
    )
    if (left === 0) return leaf
    const nested = fields.flatMap((field) => {
      const to = getNamedType(field.type)
      return isCompositeType(to) ? [this.#field(field.name, field.args, this.set(to, left - 1, fragments))] : []
    })
    const overlapping = fragments.filter(({ on }) => doTypesOverlap(this.#schema, type, on))
    return fc.oneof(
      { weight: type.name === 'Query' ? 0 : 4, arbitrary: leaf },
      ...(nested.length > 0 ? [{ weight: 5, arbitrary: fc.oneof(...nested) }] : []),
      { weight: isAbstractType(type) ? 4 : 1, arbitrary: this.#inline(type, left - 1, fragments) },
      ...(overlapping.length > 0 ? [{ weight: 1, arbitrary: fc.oneof(...overlapping.map(spread)) }] : []),
    )
  }

  #field(name: string, args: GraphQLField<unknown, unknown>['args'], set: fc.Arbitrary<readonly Item[]> | undefined) {
    return fc.record({
      kind: fc.constant('field' as const),
      name: fc.constant(name),
      aliased: fc.nat(3).map((drawn) => drawn === 0 && name !== '__typename'),
      conditions,
      given: this.#given(args),
      set: set ?? fc.constant(undefined),
      again: set
        ? fc.oneof(
            { weight: 7, arbitrary: fc.constant(null) },
            { weight: 1, arbitrary: fc.record({ conditions, set }) },
          )
        : fc.constant(null),
    })
  }

  #inline(type: GraphQLCompositeType, left: number, fragments: readonly Fragment[]): fc.Arbitrary<Item> {
    const ways = Object.values(this.#schema.getTypeMap())
      .filter(isCompositeType)
      .filter((on) => doTypesOverlap(this.#schema, type, on))
      .map((on) => inline(on.name, this.set(on, left, fragments)))
    return fc.oneof(inline(undefined, this.set(type, left, fragments)), ...ways)
  }

  #given(args: readonly GraphQLArgument[]): fc.Arbitrary<readonly Given[]> {
    const given = (name: string, value: unknown, other: unknown, way: How): readonly Given[] =>
      args.filter((it) => it.name === name).map((argument) => ({ argument, value, other, how: way }))
    const one = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<readonly Given[]> =>
      fc.tuple(value, how).map(([drawn, way]) => given(name, drawn, otherThan(drawn), way))
    if (args.some(({ name }) => name === 'first')) {
      const { size, text, by } = this.#pools
      const sizes = fc.oneof(
        { weight: 6, arbitrary: one('first', size) },
        { weight: 3, arbitrary: one('last', size) },
        {
          weight: 2,
          arbitrary: fc
            .tuple(size, how)
            .map(([drawn, way]) => [...given('last', null, drawn, way), ...given('first', drawn, null, way)]),
        },
      )
      const cursor = this.#pools.cursor
      const offset = one('offset', fc.option(this.#pools.offset))
      const edges = [one('after', cursor), one('before', cursor), offset, one('author', by)].map((some) =>
        fc.oneof({ weight: 4, arbitrary: none }, { weight: 1, arbitrary: some }),
      )
      return fc.tuple(sizes, one('text', text), ...edges).map((all) => all.flat())
    }
    const [argument] = args
    if (!argument) return none
    const { by, id, name, uuid } = this.#pools
    const value = { by, id, ids: id, name }[argument.name] ?? uuid
    return one(argument.name, isListType(getNullableType(argument.type)) ? fc.array(value, { maxLength: 4 }) : value)
  }
}

const none: fc.Arbitrary<readonly Given[]> = fc.constant([])

function inline(on: string | undefined, set: fc.Arbitrary<readonly Item[]>): fc.Arbitrary<Item> {
  return fc.record({ kind: fc.constant('inline' as const), on: fc.constant(on), conditions, set })
}

function spread({ name }: Fragment): fc.Arbitrary<Item> {
  return fc.record({ kind: fc.constant('spread' as const), name: fc.constant(name), conditions })
}

/** Prints items as a document. Equal fields with equal arguments get the same response key, so they merge. */
class Printer {
  readonly variables: Record<string, unknown> = {}
  readonly others: Record<string, unknown> = {}
  readonly #definitions = new Map<string, string>()
  readonly #arguments = new Map<string, string[]>()
  readonly #fragments: ReadonlyMap<string, { on: string; set: readonly Item[] }>
  readonly #printed = new Map<string, string>()
  readonly #isConditional: boolean

  constructor(fragments: ReadonlyMap<string, { on: string; set: readonly Item[] }>, isConditional: boolean) {
    this.#fragments = fragments
    this.#isConditional = isConditional
  }

  document(set: readonly Item[]): string {
    const selected = this.#set(set)
    const definitions = [...this.#definitions.values()].join(', ')
    return [`query ${definitions ? `(${definitions}) ` : ''}${selected}`, ...this.#printed.values()].join('\n')
  }

  #set(items: readonly Item[]): string {
    return `{ ${items.map((item) => this.#item(item)).join(' ')} }`
  }

  #item(item: Item): string {
    if (item.kind === 'inline') {
      return `...${item.on ? ` on ${item.on}` : ''}${this.#conditions(item)} ${this.#set(item.set)}`
    }
    if (item.kind === 'spread') return `...${this.#fragment(item.name)}${this.#conditions(item)}`
    const given = item.given.map(
      (it) => `${it.argument.name}: ${this.#value(`${it.argument.type}`, it.value, it.how, it.other)}`,
    )
    const name = this.#name(item.name, given.join(', '), item.aliased)
    if (!item.set) return `${name}${this.#conditions(item)}`
    const parts = [{ conditions: item.conditions, set: item.set }, ...(item.again ? [item.again] : [])]
    return parts.map((part) => `${name}${this.#conditions(part)} ${this.#set(part.set)}`).join(' ')
  }

  #conditions({ conditions }: Pick<Item, 'conditions'>): string {
    const all = this.#isConditional ? conditions : []
    return all.map((it) => ` @${it.name}(if: ${this.#value('Boolean!', it.value, it.how)})`).join('')
  }

  #name(name: string, given: string, aliased: boolean): string {
    const seen = this.#arguments.get(name) ?? []
    if (!seen.includes(given)) this.#arguments.set(name, [...seen, given])
    const index = this.#arguments.get(name)?.indexOf(given) ?? 0
    const alias = `${name}${index || ''}${aliased ? 'Again' : ''}`
    return `${alias === name ? '' : `${alias}: `}${name}${given ? `(${given})` : ''}`
  }

  #fragment(name: string): string {
    const fragment = this.#fragments.get(name)
    if (fragment && !this.#printed.has(name)) {
      this.#printed.set(name, '')
      this.#printed.set(name, `fragment ${name} on ${fragment.on} ${this.#set(fragment.set)}`)
    }
    return name
  }

  #value(type: string, value: unknown, way: How, other = otherThan(value)): string {
    if (way === 'literal') return literal(value)
    const name = `v${this.#definitions.size}`
    const key = [type, way, literal(value), literal(other)].join(' ')
    const known = this.#definitions.get(key)
    if (known) return known.slice(0, known.indexOf(':'))
    if (way === 'variable') this.variables[name] = value
    this.others[name] = other
    this.#definitions.set(key, `$${name}: ${type}${way === 'default' ? ` = ${literal(value)}` : ''}`)
    return `$${name}`
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  // Null selects the default page size.
  if (typeof value === 'number') return value % 2 === 0 ? null : value + 1
  return value
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`)} }`
}

/**
 * Valid queries of a schema with everything that a selection can have: aliases with the same and with other arguments, literals,
 * variables and their defaults, inline and named fragments that nest, conditions, fields that merge.
 */
export function randomQuery(
  schema: GraphQLSchema,
  pools: Pools,
  depth: Record<'query' | 'fragment', number> = usualDepth,
): fc.Arbitrary<RandomQuery> {
  const selections = new Selections(schema, pools)
  const query = schema.getQueryType()
  if (!query) throw new TypeError('The schema has no queries')
  const level = (suffix: string): Fragment[] =>
    fragmentTypes.flatMap((name) => {
      const on = schema.getType(name)
      return isCompositeType(on) ? [{ name: `${name}${suffix}`, on }] : []
    })
  const [inner, outer] = [level('Inner'), level('Outer')]
  const sets = [
    ...inner.map(({ on }) => selections.set(on, depth.fragment, [])),
    ...outer.map(({ on }) => selections.set(on, depth.fragment, inner)),
  ]
  const all = [...inner, ...outer]
  // Otherwise nearly every document would have a condition.
  return fc
    .tuple(selections.set(query, depth.query, all), fc.tuple(...sets), fc.boolean())
    .map(([set, drawn, isConditional]) => {
      const fragments = all.map(({ name, on }, index) => [name, { on: on.name, set: drawn[index] ?? [] }] as const)
      const printer = new Printer(new Map(fragments), isConditional)
      return { source: printer.document(set), variables: printer.variables, others: printer.others }
    })
}
