import DataLoader from 'dataloader'
import {
  type GraphQLCompositeType,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  type OperationDefinitionNode,
} from 'graphql'
import pLimit from 'p-limit'
import { answerOf, notWhole, type WholeAnswer } from './answer.ts'
import { isOwn } from './own-operations.ts'
import { rehearse } from './rehearse.ts'
import { ResponseSize } from './response-size.ts'
import { Composer, nothing, type Statement } from './statement.ts'
import { type Call, Variants } from './variants.ts'

/** One row of a composed statement: texts of JSON, and the key that it was found by. */
export type ComposedRow = Readonly<Record<string, string | null>>

/** Runs one statement with its values; `isOwn` is one of a document of the program's own. */
export type Run = (read: {
  readonly text: string
  readonly values: readonly unknown[]
  readonly isOwn: boolean
}) => Promise<readonly ComposedRow[]>

/** Who reads: null without a token; `readsEmail` with the scope `user.email`. */
export type Viewer = { readonly id: string | null; readonly readsEmail: boolean }

/** What avatars are made of: the e-mail address, as Gravatar has it, or the id of the user. */
export type Avatar = 'gravatar' | 'identicon'

type Ask = {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly isOwn: boolean
  readonly id: string
}

const wholeAnswers = new Variants(({ statement }: WholeAnswer) => statement.text)
const statements = new Variants(({ text }: Statement) => text)
const rehearsals = new Variants(() => '')
const rehearsed = {}

/** How many bytes are held for an operation: its statements, with what belongs to them. */
export function bytesOfStatements(operation: OperationDefinitionNode): number {
  return wholeAnswers.bytesOf(operation) + statements.bytesOf(operation) + rehearsals.bytesOf(operation)
}

/** Throws `VALIDATION_FAILED` where the SQL that the resolvers of an operation read by is too long. */
export function requireRoom(call: Call): void {
  rehearsals.of(call, '', () => {
    rehearse(call)
    return rehearsed
  })
}

/** How many statements of one request run at the same time at most. */
const statementsAtOnce = 4

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
  readonly #avatar: Avatar
  readonly #byId: DataLoader<Ask, ComposedRow | null>
  readonly #size = new ResponseSize()
  #limit: ReturnType<typeof pLimit> | undefined

  constructor(run: Run, viewer: Viewer, avatar: Avatar) {
    this.#run = run
    this.#viewer = viewer
    this.#avatar = avatar
    this.#byId = new DataLoader((asks) => this.#find(asks), { cache: false, maxBatchSize: 1000 })
  }

  /** The same reads for another viewer, say one who has just signed in. */
  as(viewer: Viewer): Reads {
    return new Reads(this.#run, viewer, this.#avatar)
  }

  /** The same reads inside a transaction. */
  within(run: Run): Reads {
    return new Reads(run, this.#viewer, this.#avatar)
  }

  /** Does something that takes a statement when its turn comes: only a few run at the same time. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#limit ??= pLimit(statementsAtOnce)
    return this.#limit(work)
  }

  /**
   * The `data` of a whole query as a text of JSON, by one statement; undefined where something of it needs a resolver. Throws
   * `VALIDATION_FAILED` where its SQL is too long.
   */
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
    const values = [...this.#fixed(), ...statement.values(info.variableValues)]
    const [row] = await this.inTurn(() => this.#run({ text: statement.text, values, isOwn: isOwn(info.operation) }))
    return this.#parse(row?.f0)
  }

  /** What is selected under the field being resolved, of the row that has this id; null when there is none. */
  async byId(info: GraphQLResolveInfo, id: string, type: GraphQLCompositeType = typeOf(info)): Promise<unknown> {
    const composer = () => new Composer(info, { tellsTypes: true })
    const statement = statements.of(info, `${pathOf(info)} ${type.name}`, () => composer().byId(type, info.fieldNodes))
    if (statement === nothing) return {}
    const values = statement.values(info.variableValues)
    const row = await this.#byId.load({ statement, values, isOwn: isOwn(info.operation), id })
    return this.#parse(row?.json)
  }

  async #answer({ statement, parts }: WholeAnswer, { operation, variableValues }: Call): Promise<string> {
    const values = [...this.#fixed(), ...statement.values(variableValues)]
    const [row] = await this.#run({ text: statement.text, values, isOwn: isOwn(operation) })
    const entries = parts.map(({ key, column, json }) => `"${key}":${json ?? (column && row?.[column]) ?? 'null'}`)
    return this.#size.add(`{${entries.join(',')}}`)
  }

  #parse(json: string | null | undefined): unknown {
    return json ? JSON.parse(this.#size.add(json)) : null
  }

  #fixed(): unknown[] {
    return [this.#viewer.id, this.#viewer.readsEmail, this.#avatar === 'gravatar']
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
    const { statement, isOwn } = first
    const values = [...this.#fixed(), ids, ...first.values]
    const rows = await this.inTurn(() => this.#run({ text: statement.text, values, isOwn }))
    const byId = new Map(rows.map((row) => [row.key, row] as const))
    for (const ask of group) {
      const row = byId.get(ask.id)
      if (row) found.set(ask, row)
    }
  }
}
