import DataLoader from 'dataloader'
import { type GraphQLCompositeType, type GraphQLResolveInfo, getNamedType, isCompositeType } from 'graphql'
import pLimit, { type LimitFunction } from 'p-limit'
import type { TextRow } from '../data/backend.ts'
import { batchedText, batchedValues, rowNumberColumn } from '../data/batched-statement.ts'
import type { Access } from '../data/database.ts'
import { refuseExpired } from './changes.ts'
import { compileAhead } from './compile-ahead.ts'
import { needsResolvers, planQuery, type QueryPlan } from './query-plan.ts'
import { maxCheapBytes, maxResolvedBytes, maxResponseBytes, tooLarge } from './response-size.ts'
import type { ExecutableOperation } from './selection.ts'
import { type CompiledStatement, emptyStatement, excessColumn, SqlCompiler } from './sql-compiler.ts'
import type { CompiledOperations } from './statement-cache.ts'
import { rulesOfAll, rulesOfHidings } from './visibility.ts'

/** Where the statements of queries run, and those of mutations, which have to see what was just written. */
export type ReadAccess = Pick<Access, 'read'> & { readonly write: Pick<Access['write'], 'read'> }

/** What avatars are derived from: the e-mail address, as Gravatar does, or the id of the user. */
export type Avatar = 'gravatar' | 'identicon'

/** The operation that reads, with its checked variables, and for whom it reads. */
export type Reading = {
  readonly executable: ExecutableOperation
  readonly compiled: CompiledOperations
  /** Whether it is so cheap that its statements may run in batches with those of other operations. */
  readonly isCheap: boolean
  /** The id of the account that reads; null without a token. */
  readonly viewer: string | null
  /** The id of the token in use. */
  readonly token: string | null
  /** Whether the token has the scope `user.email`. */
  readonly readsEmail: boolean
  /** Whether home timelines are read in the way for viewers who follow many accounts. The posts are the same either way. */
  readonly followsMany: boolean
  /** Whether others are hidden from the viewer. */
  readonly hides: boolean
  readonly avatar: Avatar
  /** Whether its statements are not prepared, because clients without a token can send any number of them. */
  readonly isUnprepared?: boolean
}

type Values = readonly unknown[]

/** The maximum number of statements that the resolvers of one request run at the same time. */
const statementsAtOnce = 4

function typeOf(info: GraphQLResolveInfo): GraphQLCompositeType {
  const type = getNamedType(info.returnType)
  if (!isCompositeType(type)) throw new TypeError(`${info.fieldName} is a leaf, so nothing is selected below it`)
  return type
}

/**
 * The reads of one operation. Objects that are read by id at the same time and with the same selection share one statement. Nothing is
 * cached, so the payload of a mutation is read after its write.
 */
export class Reads {
  readonly #access: ReadAccess
  readonly #reading: Reading
  #limit: LimitFunction | undefined
  /** How many bytes of JSON resolvers have read. */
  #resolved = 0
  #lookups: Map<CompiledStatement, DataLoader<Values, TextRow | null>> | undefined

  constructor(access: ReadAccess, reading: Reading) {
    this.#access = access
    this.#reading = reading
  }

  /** The same reads for the account that has just signed in, and its new token. */
  as(viewer: string, token: string): Reads {
    const rights = { viewer, token, readsEmail: true, followsMany: false, hides: true, isUnprepared: true }
    return new Reads(this.#access, { ...this.#reading, ...rights })
  }

  /** The same reads without what may be hidden from the viewer by now. */
  hiding(): Reads {
    return new Reads(this.#access, { ...this.#reading, hides: true })
  }

  /** The same reads inside a transaction. */
  within(access: ReadAccess): Reads {
    return new Reads(access, { ...this.#reading, isCheap: false })
  }

  /**
   * Plans the statement for the root fields of a query that have reads; undefined if there are none. Throws `VALIDATION_FAILED` when the
   * SQL is too long.
   */
  plan(): QueryPlan | undefined {
    const { executable, compiled } = this.#reading
    const plan = compiled.plans.get(executable, this.#variant, () => planQuery(executable, this.#options))
    return plan === needsResolvers ? undefined : plan
  }

  /** Throws `VALIDATION_FAILED` when the SQL that resolvers may run is too long. The resolvers of planned root fields do not run, so they are not counted. */
  checkSqlSize(plan: QueryPlan | undefined): void {
    const { executable, compiled } = this.#reading
    compiled.statements.get(executable, plan ? 'checked beside a plan' : 'checked', () => {
      compileAhead(executable, plan)
      return emptyStatement
    })
  }

  /**
   * The JSON of the root fields of a planned query, in their order; undefined for each that a resolver returns. Throws
   * `VALIDATION_FAILED` when it is too large, which the statement finds out, so that it is not sent here.
   */
  async answer({ text, values, parts }: QueryPlan): Promise<readonly (string | undefined)[]> {
    const row = await this.#read(text, values(this.#reading.executable.variableValues), maxResponseBytes)
    return parts.map(({ column, json }) => json ?? (column && (row?.[column] ?? 'null')))
  }

  /** Reads the root field being resolved, with everything selected below it, by one statement. */
  async field<T>(info: GraphQLResolveInfo): Promise<T> {
    const field = info.parentType.getFields()[info.fieldName]
    if (!field) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
    const { variableValues } = this.#reading.executable
    const { text, values } = this.#compiled(info, '', (it) => it.fields([{ field, nodes: info.fieldNodes }]))
    const row = await this.#limited(() => this.#read(text, values(variableValues), maxResolvedBytes))
    return this.#parse(row?.f0)
  }

  /** Reads what is selected below the field being resolved, of the row with this id; null when there is none. */
  async byId<T>(info: GraphQLResolveInfo, id: string, type: GraphQLCompositeType = typeOf(info)): Promise<T> {
    const statement = this.#compiled(info, type.name, (it) => it.byId(type, info.fieldNodes))
    if (statement === emptyStatement) return this.#parse('{}')
    const values = [id, ...statement.values(this.#reading.executable.variableValues)]
    const row = await this.#lookupsBy(statement).load(values)
    return this.#parse(row?.json)
  }

  #compiled(
    info: GraphQLResolveInfo,
    part: string,
    compile: (compiler: SqlCompiler) => CompiledStatement,
  ): CompiledStatement {
    const { executable, compiled } = this.#reading
    const key = `${info.path.key} ${part} ${this.#variant}`
    const options = { includeTypename: true, ...this.#options }
    return compiled.statements.get(executable, key, () => compile(new SqlCompiler(info, options)))
  }

  /** What statements depend on besides the operation, and its name in the keys of their caches. */
  get #options() {
    const { followsMany, hides } = this.#reading
    return { followsMany, rules: hides ? rulesOfHidings : rulesOfAll }
  }

  get #variant(): string {
    const { followsMany, hides } = this.#reading
    return `${followsMany ? 'many' : ''} ${hides ? 'hides' : ''}`
  }

  /** Runs a statement that returns at most one row. Throws `VALIDATION_FAILED` when it has more than so many bytes. */
  async #read(text: string, values: Values, most: number): Promise<TextRow | undefined> {
    if (this.#reading.isCheap) {
      const [row] = await this.#run(text, [...this.#fixed(maxCheapBytes), ...values], true)
      if (!row?.[excessColumn]) return row
    }
    const [row] = await this.#run(text, [...this.#fixed(most), ...values], false)
    const excess = row?.[excessColumn]
    if (excess) throw tooLarge(Number(excess), most)
    return row
  }

  #run(text: string, values: Values, isCheap: boolean): Promise<readonly TextRow[]> {
    const { isUnprepared, executable } = this.#reading
    const { operation, isBuiltIn } = executable
    const statement = {
      text,
      values,
      preparation: isUnprepared ? 'never' : isBuiltIn ? 'always' : 'repeated',
      isCheap,
    } as const
    const rows = operation.operation === 'mutation' ? this.#access.write.read(statement) : this.#access.read(statement)
    return rows.catch(refuseExpired)
  }

  /** The only place where JSON gets a type: the statement was compiled from the selection that the caller resolves. */
  #parse<T>(json: string | null | undefined): T {
    this.#resolved += Buffer.byteLength(json ?? '')
    if (this.#resolved > maxResolvedBytes) throw tooLarge(this.#resolved, maxResolvedBytes)
    return JSON.parse(json ?? 'null')
  }

  /** At most `statementsAtOnce` statements of the resolvers of a request run at the same time. */
  #limited<T>(work: () => Promise<T>): Promise<T> {
    this.#limit ??= pLimit(statementsAtOnce)
    return this.#limit(work)
  }

  #fixed(most: number): unknown[] {
    const { viewer, token, readsEmail, avatar } = this.#reading
    return [viewer, token, readsEmail, avatar === 'gravatar', most]
  }

  #lookupsBy(statement: CompiledStatement): DataLoader<Values, TextRow | null> {
    this.#lookups ??= new Map()
    const known = this.#lookups.get(statement)
    if (known) return known
    const load = (all: readonly Values[]) => this.#limited(() => this.#lookUp(statement, all))
    const lookups = new DataLoader(load, { cache: false, maxBatchSize: 1000 })
    this.#lookups.set(statement, lookups)
    return lookups
  }

  async #lookUp({ text }: CompiledStatement, [values = [], ...others]: readonly Values[]): Promise<(TextRow | null)[]> {
    if (others.length === 0) return [(await this.#read(text, values, maxResolvedBytes)) ?? null]
    const all = [values, ...others].map((each) => [...this.#fixed(maxResolvedBytes), ...each])
    const rows = await this.#run(measuredBatch(text), batchedValues(all), false)
    const excess = rows.find((row) => row[excessColumn])?.[excessColumn]
    if (excess) throw tooLarge(Number(excess), maxResolvedBytes)
    const byNumber = new Map(rows.map((row) => [Number(row[rowNumberColumn]), row]))
    return all.map((_values, index) => byNumber.get(index + 1) ?? null)
  }
}

/** The statement that looks up many objects, unless they have too many bytes together. */
function measuredBatch(text: string): string {
  const isTooMuch = `total > ${maxResolvedBytes}`
  return `select "${rowNumberColumn}", case when not ${isTooMuch} then json end as json,
      coalesce(${excessColumn}, case when ${isTooMuch} then total::text end) as ${excessColumn}
    from (select *, sum(octet_length(json)) over () as total from (${batchedText(text)}) found) measured`
}
