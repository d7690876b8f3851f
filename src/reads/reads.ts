import DataLoader from 'dataloader'
import {
  type GraphQLCompositeType,
  type GraphQLResolveInfo,
  getNamedType,
  isCompositeType,
  type OperationDefinitionNode,
} from 'graphql'
import pLimit, { type LimitFunction } from 'p-limit'
import type { TextRow } from '../data/backend.ts'
import { batchedText, batchedValues, rowNumberColumn } from '../data/batched-statement.ts'
import type { RunRead } from '../data/database.ts'
import { unprepared } from '../data/prepared-statements.ts'
import { refuseExpired } from './changes.ts'
import { compileAhead } from './compile-ahead.ts'
import { operationOf } from './execution-root.ts'
import { needsResolvers, planQuery, type QueryPlan } from './query-plan.ts'
import { tooLarge } from './response-size.ts'
import type { ExecutableOperation } from './selection.ts'
import { type CompiledStatement, emptyStatement, excessColumn, SqlCompiler } from './sql-compiler.ts'
import { StatementCache } from './statement-cache.ts'

/** How the statements of queries run, and those of mutations, which have to see what was just written. */
export type Access = { readonly read: RunRead; readonly write: RunRead }

/**
 * The account that reads; its `id` is null without a token. `readsEmail` is set by the scope `user.email`. `followsMany` chooses how home
 * timelines are read; the posts are the same either way.
 */
export type Viewer = { readonly id: string | null; readonly readsEmail: boolean; readonly followsMany: boolean }

/** What avatars are derived from: the e-mail address, as Gravatar does, or the id of the user. */
export type Avatar = 'gravatar' | 'identicon'

type Values = readonly unknown[]

const builtIn = new WeakSet<OperationDefinitionNode>()

/** Notes an operation of the program's own, whose statements stay prepared whatever clients send. */
export function markBuiltIn(operation: OperationDefinitionNode): void {
  builtIn.add(operation)
}

const plans = new StatementCache<QueryPlan>()
const statements = new StatementCache<CompiledStatement>()

/** Throws `VALIDATION_FAILED` when the SQL that the resolvers of an operation may run is too long. The resolvers of planned root fields do not run, so they are not counted. */
export function checkSqlSize(executable: ExecutableOperation, plan: QueryPlan | undefined): void {
  statements.get(executable, plan ? 'checked beside a plan' : 'checked', () => {
    compileAhead(executable, plan)
    return emptyStatement
  })
}

/** The maximum number of statements that the resolvers of one request run at the same time. */
const statementsAtOnce = 4

/** Runs statements without preparing them. */
const unpreparedBy =
  (run: RunRead): RunRead =>
  (read) =>
    run({ ...read, text: `${unprepared}${read.text}` })

function typeOf(info: GraphQLResolveInfo): GraphQLCompositeType {
  const type = getNamedType(info.returnType)
  if (!isCompositeType(type)) throw new TypeError(`${info.fieldName} is a leaf, so nothing is selected below it`)
  return type
}

/** The only place where JSON gets a type: the statement was compiled from the selection that the caller resolves. */
function parse<T>(json: string | null | undefined): T {
  return JSON.parse(json ?? 'null')
}

/**
 * The reads of one request. Objects that are read by id at the same time and with the same selection share one statement. Nothing is
 * cached, so the payload of a mutation is read after its write.
 */
export class Reads {
  readonly #access: Access
  readonly #viewer: Viewer
  readonly #avatar: Avatar
  readonly #isCheap: boolean
  #limit: LimitFunction | undefined
  readonly #lookups = new Map<CompiledStatement, DataLoader<Values, TextRow | null>>()

  constructor(access: Access, viewer: Viewer, avatar: Avatar, isCheap = false) {
    this.#access = access
    this.#isCheap = isCheap
    this.#viewer = viewer
    this.#avatar = avatar
  }

  /** The same reads for an operation that is so cheap that its statements may run in batches with those of others. */
  cheap(): Reads {
    return new Reads(this.#access, this.#viewer, this.#avatar, true)
  }

  /** The same reads for the viewer who has just signed in. Their statements are not prepared, because they come without a token. */
  as(viewer: Viewer): Reads {
    const { read, write } = this.#access
    return new Reads({ read: unpreparedBy(read), write: unpreparedBy(write) }, viewer, this.#avatar)
  }

  /** The same reads inside a transaction. */
  within(access: Access): Reads {
    return new Reads(access, this.#viewer, this.#avatar)
  }

  /**
   * Plans the statement for the root fields of a query that have reads; undefined if there are none. Throws `VALIDATION_FAILED` when the
   * SQL is too long.
   */
  plan(executable: ExecutableOperation): QueryPlan | undefined {
    const plan = plans.get(executable, this.#variant, () => planQuery(executable, this.#viewer))
    return plan === needsResolvers ? undefined : plan
  }

  /**
   * The JSON of the root fields of a planned query, in their order; undefined for each that a resolver returns. Throws
   * `VALIDATION_FAILED` when it is too large, which the statement finds out, so that it is not sent here.
   */
  async answer(
    plan: QueryPlan,
    { operation, variableValues }: ExecutableOperation,
  ): Promise<readonly (string | undefined)[]> {
    const [row] = await this.#run(operation, plan.text, [...this.#fixed(), ...plan.values(variableValues)])
    const excess = row?.[excessColumn]
    if (excess) throw tooLarge(Number(excess))
    return plan.parts.map(({ column, json }) => json ?? (column && (row?.[column] ?? 'null')))
  }

  /** Reads the root field being resolved, with everything selected below it, by one statement. */
  async field<T>(info: GraphQLResolveInfo): Promise<T> {
    const field = info.parentType.getFields()[info.fieldName]
    if (!field) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
    const { operation, variableValues } = operationOf(info)
    const { text, values } = this.#compiled(info, '', (it) => it.fields([{ field, nodes: info.fieldNodes }]))
    const [row] = await this.#limited(() => this.#run(operation, text, [...this.#fixed(), ...values(variableValues)]))
    return parse(row?.f0)
  }

  /** Reads what is selected below the field being resolved, of the row with this id; null when there is none. */
  async byId<T>(info: GraphQLResolveInfo, id: string, type: GraphQLCompositeType = typeOf(info)): Promise<T> {
    const statement = this.#compiled(info, type.name, (it) => it.byId(type, info.fieldNodes))
    if (statement === emptyStatement) return parse('{}')
    const { operation, variableValues } = operationOf(info)
    const values = [...this.#fixed(), id, ...statement.values(variableValues)]
    const row = await this.#lookupsBy(statement, operation).load(values)
    return parse(row?.json)
  }

  #compiled(
    info: GraphQLResolveInfo,
    part: string,
    compile: (compiler: SqlCompiler) => CompiledStatement,
  ): CompiledStatement {
    const { followsMany } = this.#viewer
    const key = `${info.path.key} ${part} ${this.#variant}`
    return statements.get(operationOf(info), key, () =>
      compile(new SqlCompiler(info, { includeTypename: true, followsMany })),
    )
  }

  #run(
    operation: OperationDefinitionNode,
    text: string,
    values: Values,
    isCheap = this.#isCheap,
  ): Promise<readonly TextRow[]> {
    const run = operation.operation === 'mutation' ? this.#access.write : this.#access.read
    return run({ text, values, isBuiltIn: builtIn.has(operation), isCheap }).catch(refuseExpired)
  }

  /** At most `statementsAtOnce` statements of the resolvers of a request run at the same time. */
  #limited<T>(work: () => Promise<T>): Promise<T> {
    this.#limit ??= pLimit(statementsAtOnce)
    return this.#limit(work)
  }

  /** Distinguishes statements of the same operation in the caches. */
  get #variant(): string {
    return this.#viewer.followsMany ? 'many' : ''
  }

  #fixed(): unknown[] {
    return [this.#viewer.id, this.#viewer.readsEmail, this.#avatar === 'gravatar']
  }

  #lookupsBy(statement: CompiledStatement, operation: OperationDefinitionNode): DataLoader<Values, TextRow | null> {
    const known = this.#lookups.get(statement)
    if (known) return known
    const load = (all: readonly Values[]) => this.#limited(() => this.#lookUp(statement, operation, all))
    const lookups = new DataLoader(load, { cache: false, maxBatchSize: 1000 })
    this.#lookups.set(statement, lookups)
    return lookups
  }

  async #lookUp(
    { text }: CompiledStatement,
    operation: OperationDefinitionNode,
    [values = [], ...others]: readonly Values[],
  ): Promise<(TextRow | null)[]> {
    if (others.length === 0) return [(await this.#run(operation, text, values))[0] ?? null]
    const all = [values, ...others]
    const rows = await this.#run(operation, batchedText(text), batchedValues(all), false)
    const byNumber = new Map(rows.map((row) => [Number(row[rowNumberColumn]), row]))
    return all.map((_values, index) => byNumber.get(index + 1) ?? null)
  }
}
