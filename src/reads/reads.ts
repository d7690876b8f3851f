import DataLoader from 'dataloader'
import {
  type ArgumentNode,
  type ConstArgumentNode,
  type GraphQLCompositeType,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql'
import { Composer, type Lookup, nothing, type Statement } from './statement.ts'

/** One row of a composed statement. */
export type ComposedRow = { readonly key?: string; readonly json: string | null }

/** Runs one statement with its values. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly ComposedRow[]>

/** Who reads: null without a token; `readsEmail` with the scope `user.email`. */
export type Viewer = { readonly id: string | null; readonly readsEmail: boolean }

/** The lookup by the key that every entity has. */
export const byId: Lookup = { key: (it) => `${it}.id`, type: 'uuid' }

type Ask = { readonly statement: Statement; readonly values: readonly unknown[]; readonly key: string }
type Compiled = { readonly switches: readonly string[]; readonly statements: Map<string, Statement> }

/** A document has few ways to be run; one that is made to have many starts anew. */
const statementsPerOperation = 64
const compiledByOperation = new WeakMap<OperationDefinitionNode, Compiled>()

/** The variables that change which rows are read, not only their values: conditions, and the direction of pages. */
function switchesOf({ operation, fragments }: GraphQLResolveInfo): string[] {
  const names = new Set<string>()
  const Argument = ({ name, value }: ArgumentNode | ConstArgumentNode) => {
    if (value.kind === Kind.VARIABLE && ['if', 'last'].includes(name.value)) names.add(value.name.value)
  }
  for (const definition of [operation, ...Object.values(fragments)]) visit(definition, { Argument })
  return [...names]
}

/** The statement of what is being resolved, composed once for each way in which the document can be run. */
function compiled(info: GraphQLResolveInfo, what: string, compose: (composer: Composer) => Statement): Statement {
  let known = compiledByOperation.get(info.operation)
  if (!known) {
    known = { switches: switchesOf(info), statements: new Map() }
    compiledByOperation.set(info.operation, known)
  }
  const sent = (name: string) => (Object.hasOwn(info.variableValues, name) ? info.variableValues[name] : null)
  const state = known.switches.map((name) => `${sent(name) ?? null}`)
  const switched = state.map((value) => (value === 'null' || value === 'false' ? value : 'set'))
  const key = [pathOf(info), what, ...switched].join(' ')
  let statement = known.statements.get(key)
  if (!statement) {
    if (known.statements.size >= statementsPerOperation) known.statements.clear()
    statement = compose(new Composer(info))
    known.statements.set(key, statement)
  }
  return statement
}

/** Where in the answer the field being resolved stands: `nodes` reads several types at one place. */
const pathOf = ({ path }: GraphQLResolveInfo) => (path.prev ? `${path.prev.key}.${path.key}` : `${path.key}`)

function typeOf(info: GraphQLResolveInfo): GraphQLCompositeType {
  const type = getNamedType(info.returnType)
  if (!isCompositeType(type)) throw new TypeError(`${info.fieldName} is a leaf, and has nothing to compose`)
  return type
}

/**
 * The reads of one request. What is asked for by key at the same time and with the same selection becomes one statement.
 * Nothing is kept from one read to the next, so a mutation's answer is read after its write.
 */
export class Reads {
  readonly #run: Run
  readonly #viewer: Viewer
  readonly #byKey: DataLoader<Ask, ComposedRow | null>

  constructor(run: Run, viewer: Viewer) {
    this.#run = run
    this.#viewer = viewer
    this.#byKey = new DataLoader((asks) => this.#answer(asks), { cache: false, maxBatchSize: 1000 })
  }

  /** The same reads for another viewer, say one who has just signed in. */
  as(viewer: Viewer): Reads {
    return new Reads(this.#run, viewer)
  }

  /** The same reads inside a transaction. */
  within(run: Run): Reads {
    return new Reads(run, this.#viewer)
  }

  /** What the root field being resolved says of its own read: one statement for all that is selected below it. */
  async field(info: GraphQLResolveInfo): Promise<unknown> {
    const field = info.parentType.getFields()[info.fieldName]
    if (!field) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
    const statement = compiled(info, '', (composer) => composer.field(field, [...info.fieldNodes]))
    const [row] = await this.#run(statement.text, [...this.#fixed(), ...statement.values(info.variableValues)])
    return parse(row)
  }

  /** What is selected under the field being resolved, of the row that has this key; null when there is none. */
  async byKey(
    info: GraphQLResolveInfo,
    key: string,
    { type = typeOf(info), lookup = byId }: ByKeyOptions = {},
  ): Promise<unknown> {
    const statement = compiled(info, `${type.name} ${lookup.type}`, (composer) =>
      composer.byKey(type, info.fieldNodes, lookup),
    )
    if (statement === nothing) return {}
    return parse(await this.#byKey.load({ statement, values: statement.values(info.variableValues), key }))
  }

  #fixed(): unknown[] {
    return [this.#viewer.id, this.#viewer.readsEmail]
  }

  async #answer(asks: readonly Ask[]): Promise<(ComposedRow | null)[]> {
    const groups = new Map<string, Ask[]>()
    for (const ask of asks) {
      const group = `${ask.statement.text} ${JSON.stringify(ask.values)}`
      groups.set(group, [...(groups.get(group) ?? []), ask])
    }
    const found = new Map<Ask, ComposedRow>()
    await Promise.all([...groups.values()].map((group) => this.#answerGroup(group, found)))
    return asks.map((ask) => found.get(ask) ?? null)
  }

  async #answerGroup(group: readonly Ask[], found: Map<Ask, ComposedRow>): Promise<void> {
    const [first] = group
    if (!first) return
    const keys = [...new Set(group.map(({ key }) => key))]
    const rows = await this.#run(first.statement.text, [...this.#fixed(), keys, ...first.values])
    const byKey = new Map(rows.map((row) => [row.key, row] as const))
    for (const ask of group) {
      const row = byKey.get(ask.key)
      if (row) found.set(ask, row)
    }
  }
}

/** The type to read where the field's own does not tell it, and the key to find it by when that is not its id. */
export type ByKeyOptions = { readonly type?: GraphQLCompositeType; readonly lookup?: Lookup }

function parse(row: ComposedRow | null | undefined): unknown {
  return row?.json ? JSON.parse(row.json) : null
}
