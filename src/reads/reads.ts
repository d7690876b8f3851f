import DataLoader from 'dataloader'
import { type GraphQLCompositeType, type GraphQLResolveInfo, getNamedType, isCompositeType } from 'graphql'
import { answerOf, notWhole, type WholeAnswer } from './answer.ts'
import { Composer, nothing, type Statement } from './statement.ts'
import { type Call, Variants } from './variants.ts'

/** One row of a composed statement: texts of JSON, and the key that it was found by. */
export type ComposedRow = Readonly<Record<string, string | null>>

/** Runs one statement with its values. */
export type Run = (text: string, values: readonly unknown[]) => Promise<readonly ComposedRow[]>

/** Who reads: null without a token; `readsEmail` with the scope `user.email`. */
export type Viewer = { readonly id: string | null; readonly readsEmail: boolean }

type Ask = { readonly statement: Statement; readonly values: readonly unknown[]; readonly id: string }

const wholeAnswers = new Variants(({ statement }: WholeAnswer) => statement.text)
const statements = new Variants(({ text }: Statement) => text)

/** Where in the answer the field being resolved stands: reads start at a root or at a field of a payload. */
const pathOf = ({ path }: GraphQLResolveInfo) => (path.prev ? `${path.prev.key}.${path.key}` : `${path.key}`)

function typeOf(info: GraphQLResolveInfo): GraphQLCompositeType {
  const type = getNamedType(info.returnType)
  if (!isCompositeType(type)) throw new TypeError(`${info.fieldName} is a leaf, and has nothing to compose`)
  return type
}

/**
 * The reads of one request. What is asked for by id at the same time and with the same selection becomes one statement.
 * Nothing is kept from one read to the next, so a mutation's answer is read after its write.
 */
export class Reads {
  readonly #run: Run
  readonly #viewer: Viewer
  readonly #byId: DataLoader<Ask, ComposedRow | null>

  constructor(run: Run, viewer: Viewer) {
    this.#run = run
    this.#viewer = viewer
    this.#byId = new DataLoader((asks) => this.#find(asks), { cache: false, maxBatchSize: 1000 })
  }

  /** The same reads for another viewer, say one who has just signed in. */
  as(viewer: Viewer): Reads {
    return new Reads(this.#run, viewer)
  }

  /** The same reads inside a transaction. */
  within(run: Run): Reads {
    return new Reads(run, this.#viewer)
  }

  /** The `data` of a whole query as a text of JSON, by one statement; undefined where something of it needs a resolver. */
  answer(call: Call): Promise<string> | undefined {
    const whole = wholeAnswers.of(call, '', () => answerOf(call))
    return whole === notWhole ? undefined : this.#answer(whole, call)
  }

  /** What the root field being resolved says of its own read: one statement for all that is selected below it. */
  async field(info: GraphQLResolveInfo): Promise<unknown> {
    const field = info.parentType.getFields()[info.fieldName]
    if (!field) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
    const composer = () => new Composer(info, { tellsTypes: true })
    const statement = statements.of(info, pathOf(info), () => composer().fields([{ field, nodes: info.fieldNodes }]))
    const [row] = await this.#run(statement.text, [...this.#fixed(), ...statement.values(info.variableValues)])
    return parse(row?.f0)
  }

  /** What is selected under the field being resolved, of the row that has this id; null when there is none. */
  async byId(info: GraphQLResolveInfo, id: string, type: GraphQLCompositeType = typeOf(info)): Promise<unknown> {
    const composer = () => new Composer(info, { tellsTypes: true })
    const statement = statements.of(info, `${pathOf(info)} ${type.name}`, () => composer().byId(type, info.fieldNodes))
    if (statement === nothing) return {}
    const row = await this.#byId.load({ statement, values: statement.values(info.variableValues), id })
    return parse(row?.json)
  }

  async #answer({ statement, parts }: WholeAnswer, { variableValues }: Call): Promise<string> {
    const [row] = await this.#run(statement.text, [...this.#fixed(), ...statement.values(variableValues)])
    const entries = parts.map(({ key, column, json }) => `"${key}":${json ?? (column && row?.[column]) ?? 'null'}`)
    return `{${entries.join(',')}}`
  }

  #fixed(): unknown[] {
    return [this.#viewer.id, this.#viewer.readsEmail]
  }

  async #find(asks: readonly Ask[]): Promise<(ComposedRow | null)[]> {
    const groups = new Map<Statement, Map<string, Ask[]>>()
    for (const ask of asks) {
      const group = groups.get(ask.statement) ?? new Map<string, Ask[]>()
      groups.set(ask.statement, group)
      const values = JSON.stringify(ask.values)
      const alike = group.get(values)
      if (alike) alike.push(ask)
      else group.set(values, [ask])
    }
    const found = new Map<Ask, ComposedRow>()
    const alike = [...groups.values()].flatMap((group) => [...group.values()])
    await Promise.all(alike.map((group) => this.#findGroup(group, found)))
    return asks.map((ask) => found.get(ask) ?? null)
  }

  async #findGroup(group: readonly Ask[], found: Map<Ask, ComposedRow>): Promise<void> {
    const [first] = group
    if (!first) return
    const ids = [...new Set(group.map(({ id }) => id))]
    const rows = await this.#run(first.statement.text, [...this.#fixed(), ids, ...first.values])
    const byId = new Map(rows.map((row) => [row.key, row] as const))
    for (const ask of group) {
      const row = byId.get(ask.id)
      if (row) found.set(ask, row)
    }
  }
}

function parse(json: string | null | undefined): unknown {
  return json ? JSON.parse(json) : null
}
