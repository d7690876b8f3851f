import { getVariableValues } from 'graphql'
import { z } from 'zod'
import { OperationReads } from '../../../src/engine/compiler/operation-reads.ts'
import type { CompiledRead } from '../../../src/engine/data/backend.ts'
import { lowestIdAt } from '../../../src/engine/data/ids.ts'
import { Documents } from '../../../src/engine/execution/documents.ts'
import type { PreparedOperation } from '../../../src/engine/execution/prepared-operation.ts'
import { viewerReader } from '../../../src/features/visibility/reader.ts'
import { schema } from '../../../src/server/schema.ts'
import type { TestApp } from '../app.ts'

/** A step of a query plan (PostgreSQL, EXPLAIN). The rows are those of one loop, on average. */
const step = z.object({
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().default(0),
  'Rows Removed by Index Recheck': z.number().default(0),
  get Plans() {
    return z.array(step).default([])
  },
})
const explained = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: step })) }))

const documents = new Documents(schema, { introspection: true })

/** A document, and for whom it runs. */
export type Measured = {
  readonly viewer: string
  readonly source: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly hides?: boolean
  readonly followsMany?: boolean
}

/** What the statement of a document reads, by its plan, and by what indexes and tables return to it and to the functions that it calls. */
type Read = { readonly byTable: ReadonlyMap<string, number>; readonly rows: number }

/** The values of a result of `select … as n`. */
const counted = z.tuple([z.object({ n: z.coerce.number() })])
/** What indexes, and scans of whole tables, have returned in this session. */
const returned = `select coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0)::text as n
  from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`

/** What the statement of a query reads, with the plan that serves all its values, and what the query costs. */
export async function measure(
  { database }: Pick<TestApp, 'database'>,
  { viewer, source, variables = {}, hides = false, followsMany = false }: Measured,
): Promise<Read & { readonly cost: number }> {
  const operation = documents.prepare(source)
  const executable = { ...operation, variableValues: coerced(operation, variables) }
  const recorded: CompiledRead[] = []
  const read = async (statement: CompiledRead) => {
    recorded.push(statement)
    return []
  }
  const reads = new OperationReads(
    { read, write: { read } },
    {
      executable,
      compiled: documents.compiled,
      isCheap: false,
      reader: viewerReader({
        viewer: { id: viewer, tokenId: viewer, scopes: new Set(), followsMany },
        isRestricted: false,
        hasBlocksOrMutes: hides,
        avatar: 'gravatar',
        notifyAfter: lowestIdAt(0),
      }),
    },
  )
  const planned = reads.plan()
  if (planned) await reads.answer(planned)
  const [statement] = recorded
  if (!statement) throw new TypeError(`The query has no statement: ${source}`)
  const values = statement.values.map(literalOf).join(', ')
  return database.write.limitedTransaction(async (transaction) => {
    await transaction.$executeRawUnsafe(`PREPARE explained AS ${statement.text}`)
    const [{ n: before }] = counted.parse(await transaction.$queryRawUnsafe(returned))
    const plans = await transaction.$queryRawUnsafe(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained (${values})`)
    const [{ n: after }] = counted.parse(await transaction.$queryRawUnsafe(returned))
    await transaction.$executeRawUnsafe('DEALLOCATE explained')
    const byTable = new Map<string, number>()
    for (const row of explained.parse(plans)) for (const { Plan } of row['QUERY PLAN']) addRows(Plan, byTable)
    const inPlan = [...byTable.values()].reduce((sum, rows) => sum + rows, 0)
    return { byTable, rows: Math.max(inPlan, after - before), cost: operation.analyze(executable).cost }
  })
}

/** How many rows of each table the statement of a query looks at. */
export async function rowsRead(
  app: TestApp,
  viewer: string,
  source: string,
  flags: Pick<Measured, 'hides' | 'followsMany'> = {},
): Promise<ReadonlyMap<string, number>> {
  return (await measure(app, { viewer, source, ...flags })).byTable
}

function coerced({ operation }: PreparedOperation, variables: Readonly<Record<string, unknown>>) {
  const { coerced, errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
  if (!coerced) throw errors[0]
  return coerced
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = Array.isArray(value) ? `{${value.join()}}` : value instanceof Date ? value.toISOString() : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

function addRows(plan: z.output<typeof step>, counted: Map<string, number>): void {
  const table = plan['Relation Name']
  const looked = plan['Actual Rows'] + plan['Rows Removed by Filter'] + plan['Rows Removed by Index Recheck']
  if (table) counted.set(table, (counted.get(table) ?? 0) + looked * plan['Actual Loops'])
  for (const inner of plan.Plans) addRows(inner, counted)
}
