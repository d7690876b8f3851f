import DataLoader from 'dataloader'
import { type GraphQLCompositeType, type GraphQLResolveInfo, getNamedType, isCompositeType } from 'graphql'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Batching, CompiledRead, PayloadRead, Statement, TextRow } from '../data/backend.ts'
import type { Reader } from './field-reads.ts'
import { excessColumn } from './json.ts'
import { maxCheapBytes, maxResolvedBytes, maxResponseBytes, tooLarge } from './limits.ts'
import { type CompiledOperations, compileAhead, needsResolvers, planQuery, type QueryPlan } from './plans.ts'
import type { ExecutableOperation } from './selection.ts'
import { type CompiledStatement, emptyStatement, SqlCompiler } from './sql-compiler.ts'

/** Where the statements of queries run, and those of mutations, which have to see what was just written. */
type ReadAccess = Connection & { readonly write: Connection }
type Connection = { read(read: CompiledRead): Promise<readonly TextRow[]> }

/** The operation that reads, with its checked variables, and for whom it reads. */
type ReadOptions = {
  readonly executable: ExecutableOperation
  readonly compiled: CompiledOperations
  /** Whether it is so cheap that its statements may run in batches with those of other operations. */
  readonly isCheap: boolean
  readonly reader: Reader
  /** How many objects are looked up by one statement. Without it, each is looked up by a statement of its own. */
  readonly batching?: Batching
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
export class OperationReads {
  readonly #access: ReadAccess
  readonly #options: ReadOptions
  #limit: LimitFunction | undefined
  /** How many bytes of JSON resolvers have read. */
  #resolved = 0
  #lookups: Map<CompiledStatement, DataLoader<Values, TextRow | null>> | undefined

  constructor(access: ReadAccess, options: ReadOptions) {
    this.#access = access
    this.#options = options
  }

  /** The same reads for another reader. */
  as(reader: Reader, isUnprepared = this.#options.isUnprepared ?? false): OperationReads {
    return new OperationReads(this.#access, { ...this.#options, reader, isUnprepared })
  }

  /** The same reads inside a transaction. */
  within(access: ReadAccess): OperationReads {
    return new OperationReads(access, { ...this.#options, isCheap: false })
  }

  /**
   * Plans the statement for the root fields of a query that have reads; undefined if there are none. Throws `InvalidOperation` when the
   * SQL is too long.
   */
  plan(): QueryPlan | undefined {
    const { executable, compiled, reader } = this.#options
    const plan = compiled.plans.get(executable, reader.kind.name, () => planQuery(executable, reader.kind))
    return plan === needsResolvers ? undefined : plan
  }

  /**
   * Throws `InvalidOperation` when the SQL that resolvers may run is too long. Those of planned root fields do not run, so they are not
   * counted.
   */
  checkSqlSize(plan: QueryPlan | undefined): void {
    const { executable, compiled, reader } = this.#options
    compiled.statements.get(executable, plan ? 'checked beside a plan' : 'checked', () => {
      compileAhead(executable, reader.longest, plan)
      return emptyStatement
    })
  }

  /**
   * The JSON of the root fields of a planned query, in their order; undefined for each that a resolver returns. Throws
   * `InvalidOperation` when it is too large, which the statement finds out, so that it is not sent here.
   */
  async answer({ text, values, parts }: QueryPlan): Promise<readonly (string | undefined)[]> {
    const row = await this.#read(text, values(this.#options.executable.variableValues), maxResponseBytes)
    return parts.map(({ column, json }) => json ?? (column && (row?.[column] ?? 'null')))
  }

  /** Reads the root field being resolved, with everything selected below it, by one statement. */
  async field<T>(info: GraphQLResolveInfo): Promise<T> {
    const field = info.parentType.getFields()[info.fieldName]
    if (!field) throw new TypeError(`${info.parentType.name} has no field ${info.fieldName}`)
    const { variableValues } = this.#options.executable
    const { text, values } = this.#compiled(info, '', (it) => it.fields([{ field, nodes: info.fieldNodes }]))
    const row = await this.#limited(() => this.#read(text, values(variableValues), maxResolvedBytes))
    return this.#parse(row?.f0)
  }

  /** Reads what is selected below the field being resolved, of the row with this id; null when there is none. */
  async byId<T>(info: GraphQLResolveInfo, id: string, type: GraphQLCompositeType = typeOf(info)): Promise<T> {
    const statement = this.#compiled(info, type.name, (it) => it.byId(type, info.fieldNodes))
    if (statement === emptyStatement) return this.#parse('{}')
    const values = [id, ...statement.values(this.#options.executable.variableValues)]
    const row = await this.#lookupsBy(statement).load(values)
    return this.#parse(row?.json)
  }

  /**
   * What `byId` would read, to be sent together with a write; undefined if it is not cheap. Afterwards `found` returns it, unless it was
   * not read or is too large for that.
   */
  withWrite<T>(info: GraphQLResolveInfo, id: string): (PayloadRead & { found(): T | undefined }) | undefined {
    const type = typeOf(info)
    const { text, values } = this.#compiled(info, type.name, (it) => it.byId(type, info.fieldNodes))
    const { isCheap, executable } = this.#options
    if (!isCheap || text === emptyStatement.text) return undefined
    let row: TextRow | undefined
    return {
      ...this.#statement(text, [...this.#fixed(maxCheapBytes), id, ...values(executable.variableValues)]),
      take: ([first]) => {
        row = first
      },
      found: () => (row && !row[excessColumn] ? this.#parse<T>(row.json) : undefined),
    }
  }

  #compiled(
    info: GraphQLResolveInfo,
    part: string,
    compile: (compiler: SqlCompiler) => CompiledStatement,
  ): CompiledStatement {
    const { executable, compiled, reader } = this.#options
    const key = `${info.path.key} ${part} ${reader.kind.name}`
    const options = { includeTypename: true, reader: reader.kind }
    return compiled.statements.get(executable, key, () => compile(new SqlCompiler(info, options)))
  }

  /** Runs a statement that returns at most one row. Throws `InvalidOperation` when it has more than so many bytes. */
  async #read(text: string, values: Values, limit: number): Promise<TextRow | undefined> {
    if (this.#options.isCheap) {
      const [row] = await this.#run(text, [...this.#fixed(maxCheapBytes), ...values], true)
      if (!row?.[excessColumn]) return row
    }
    const [row] = await this.#run(text, [...this.#fixed(limit), ...values], false)
    const excess = row?.[excessColumn]
    if (excess) throw tooLarge(Number(excess), limit)
    return row
  }

  #run(text: string, values: Values, isCheap: boolean): Promise<readonly TextRow[]> {
    const { operation } = this.#options.executable
    const statement = { ...this.#statement(text, values), isCheap }
    return operation.operation === 'mutation' ? this.#access.write.read(statement) : this.#access.read(statement)
  }

  #statement(text: string, values: Values): Statement {
    const { isUnprepared, executable } = this.#options
    return { text, values, preparation: isUnprepared ? 'never' : executable.isBuiltIn ? 'always' : 'repeated' }
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

  #fixed(limit: number): unknown[] {
    return [limit, ...this.#options.reader.values]
  }

  #lookupsBy(statement: CompiledStatement): DataLoader<Values, TextRow | null> {
    this.#lookups ??= new Map()
    const known = this.#lookups.get(statement)
    if (known) return known
    const load = (all: readonly Values[]) => this.#limited(() => this.#lookUp(statement, all))
    const lookups = new DataLoader(load, { cache: false, maxBatchSize: this.#options.batching ? 1000 : 1 })
    this.#lookups.set(statement, lookups)
    return lookups
  }

  async #lookUp({ text }: CompiledStatement, [values = [], ...others]: readonly Values[]): Promise<(TextRow | null)[]> {
    const { batching } = this.#options
    if (!batching || others.length === 0) return [(await this.#read(text, values, maxResolvedBytes)) ?? null]
    const all = [values, ...others].map((each) => [...this.#fixed(maxResolvedBytes), ...each])
    const rows = await this.#run(measuredBatch(batching, text), batching.values(all), false)
    const excess = rows.find((row) => row[excessColumn])?.[excessColumn]
    if (excess) throw tooLarge(Number(excess), maxResolvedBytes)
    const byNumber = new Map(rows.map((row) => [Number(row[batching.rowNumber]), row]))
    return all.map((_values, index) => byNumber.get(index + 1) ?? null)
  }
}

/** The statement that looks up many objects, unless they have too many bytes together. */
function measuredBatch(batching: Batching, text: string): string {
  const isTooMuch = `total > ${maxResolvedBytes}`
  return `select "${batching.rowNumber}", case when not ${isTooMuch} then json end as json,
      coalesce(${excessColumn}, case when ${isTooMuch} then total::text end) as ${excessColumn}
    from (select *, sum(octet_length(json)) over () as total from (${batching.text(text)}) found) measured`
}
