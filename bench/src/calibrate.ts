import pg from 'pg'
import type { Reader } from '../../src/engine/compiler/field-reads.ts'
import { InvalidOperation } from '../../src/engine/compiler/limits.ts'
import { OperationReads } from '../../src/engine/compiler/operation-reads.ts'
import type { CompiledRead } from '../../src/engine/data/backend.ts'
import { lowestIdAt } from '../../src/engine/data/ids.ts'
import { scriptOf, servingSettings } from '../../src/engine/data/serving-settings.ts'
import { Refusal } from '../../src/engine/errors.ts'
import { coerceVariables } from '../../src/engine/execution/coerce-variables.ts'
import { Documents, LoadedDocument } from '../../src/engine/execution/documents.ts'
import { argumentErrors } from '../../src/engine/execution/prepare-execution.ts'
import { maxCost } from '../../src/engine/execution/price.ts'
import { manyFollowed } from '../../src/features/accounts/find-viewer.ts'
import { viewerReader } from '../../src/features/visibility/reader.ts'
import { schema } from '../../src/server/schema.ts'
import type { RandomQuery } from '../../test/support/reference/random-selection.ts'
import { drawDocuments } from './calibration/draw.ts'
import { createDatabase } from './database/create.ts'
import { median, percentile, rankCorrelation } from './measuring/statistics.ts'
import { readOptions } from './options.ts'

/** How many documents are drawn, how often each is measured, and for how long all of that lasts at most. */
const bounds = { drawn: 5_000, times: 5, milliseconds: 180_000 } as const

/** What a unit of cost stands for, in microseconds. */
const unit = 5

type Measured = { readonly source: string; readonly cost: number; readonly microseconds: number }

/** What is refused is not measured. */
async function unlessRefused<T>(action: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    if (
      error instanceof InvalidOperation ||
      error instanceof Refusal ||
      (error instanceof Error && Reflect.get(error, 'originalError') instanceof Refusal)
    )
      return undefined
    throw error
  }
}

/**
 * The least time that the database takes for an operation, planning included; undefined where it is not one statement that is
 * permitted.
 */
async function measure(
  db: pg.Client,
  reader: Reader,
  { compiled }: Documents,
  loaded: LoadedDocument,
  { source, variables }: RandomQuery,
): Promise<Measured | undefined> {
  const operation = loaded.operation(undefined)
  const { schema, operation: definition, fragments } = operation
  const { coerced = {} } = coerceVariables(operation, variables, false)
  const executable = { schema, operation: definition, fragments, variableValues: coerced }
  const analysis = operation.analyze(executable)
  const { cost } = analysis
  if (cost > maxCost || argumentErrors(analysis, coerced).length > 0) return undefined
  const taken: number[] = []
  const read = async ({ text, values }: CompiledRead) => {
    const before = performance.now()
    const { rows } = await db.query(text, [...values])
    taken.push((performance.now() - before) * 1_000)
    return rows
  }
  for (let time = 0; time < bounds.times; time++) {
    const reads = new OperationReads({ read, write: { read } }, { reader, isCheap: false, compiled, executable })
    const answer = await unlessRefused(() => {
      const plan = reads.plan()
      return plan && reads.answer(plan)
    })
    if (answer === undefined) return undefined
  }
  return { source: `${source}\n${JSON.stringify(variables)}`, cost, microseconds: Math.min(...taken) }
}

async function measureAll(db: pg.Client): Promise<Measured[]> {
  const { viewerId, followed, documents } = await drawDocuments(db, schema, bounds.drawn)
  const scopes = new Set(['user.email'] as const)
  const reader = viewerReader({
    viewer: { id: viewerId, tokenId: viewerId, scopes, followsMany: followed > manyFollowed },
    isRestricted: false,
    hasBlocksOrMutes: false,
    avatar: 'gravatar',
    notifyAfter: lowestIdAt(0),
  })
  const loader = new Documents(schema, { introspection: true })
  const until = performance.now() + bounds.milliseconds
  const measured: Measured[] = []
  for (const document of documents) {
    if (performance.now() > until) break
    const loaded = await unlessRefused(() => loader.load(document.source, { isTrusted: true, isKept: false }))
    const found = loaded instanceof LoadedDocument ? await measure(db, reader, loader, loaded, document) : undefined
    if (found) measured.push(found)
  }
  return measured
}

function report(measured: readonly Measured[]): string {
  const ratio = ({ cost, microseconds }: Measured) => microseconds / (cost * unit)
  const costs = measured.map(({ cost }) => cost)
  const times = measured.map(({ microseconds }) => microseconds)
  const sorted = measured.toSorted((one, other) => ratio(other) - ratio(one))
  const ratios = Float64Array.from(measured, ratio).sort()
  const [worst] = sorted
  const longest = Math.max(...times) / 1_000
  return [
    `${measured.length} documents, cost ${Math.min(...costs)} to ${Math.max(...costs)}, up to ${longest.toFixed(0)} ms`,
    `rank correlation of cost and time: ${rankCorrelation(costs, times).toFixed(3)}`,
    `time for a unit of ${unit} µs: median ${(median([...ratios]) * unit).toFixed(2)} µs, 99th ` +
      `percentile ${(percentile(ratios, 0.99) * unit).toFixed(2)} µs`,
    worst &&
      `the most under-priced: ${(ratio(worst) * unit).toFixed(2)} µs a unit, cost ${worst.cost}, ` +
        `${(worst.microseconds / 1_000).toFixed(2)} ms\n${worst.source}`,
  ]
    .filter(Boolean)
    .join('\n')
}

const url = await createDatabase(readOptions(process.argv.slice(2), process.env))
const db = new pg.Client({ connectionString: url, statement_timeout: 10_000 })
await db.connect()
try {
  await db.query(scriptOf(servingSettings))
  process.stdout.write(`${report(await measureAll(db))}\n`)
} finally {
  await db.end()
}
