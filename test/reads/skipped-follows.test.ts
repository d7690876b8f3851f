import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { CompiledRead } from '../../src/data/backend.ts'
import { Executor } from '../../src/execution/executor.ts'
import { createLog } from '../../src/log.ts'
import { Reads } from '../../src/reads/reads.ts'
import { schema } from '../../src/schema/schema.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { createTimeline } from '../support/timeline-rows.ts'

/** A step of a query plan (PostgreSQL, EXPLAIN). The rows are those of one loop, on average. */
const step = z.object({
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  get Plans() {
    return z.array(step).optional()
  },
})
const explained = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: step })) }))

/** How many follows are skipped, of a little more than twice as many. Beyond half of a list, its other end is closer. */
const offset = 100

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  await createTimeline(app.database, ada.id, { authors: 2 * offset + 5, posts: 0, replies: 0 })
  await app.database.write.prisma.$executeRaw`analyze`
})
afterAll(() => app.close())

/** How many rows of a table the statement of a query reads. */
async function rowsRead(table: string, source: string): Promise<number> {
  const reads: CompiledRead[] = []
  const run = async (read: CompiledRead) => {
    reads.push(read)
    return []
  }
  const viewer = { id: ada.id, readsEmail: false, followsMany: false }
  const operation = new Executor(schema, createLog('silent')).prepare(source)
  await operation.answer({}, new Reads({ read: run, write: run }, viewer, 'gravatar'))
  const [read] = reads
  if (!read) throw new TypeError('The query has no statement')
  const rows = await app.database.runReserved(`EXPLAIN (ANALYZE, FORMAT JSON) ${read.text}`, read.values)
  const [row] = explained.parse(rows)
  return row ? rowsIn(table, row['QUERY PLAN'][0]?.Plan) : Number.NaN
}

function rowsIn(table: string, plan: z.output<typeof step> | undefined): number {
  if (!plan) return Number.NaN
  const own = plan['Relation Name'] === table ? plan['Actual Rows'] * plan['Actual Loops'] : 0
  return (plan.Plans ?? []).reduce((total, inner) => total + rowsIn(table, inner), own)
}

test('skipping follows reads none of the skipped accounts', async () => {
  const source = `{ user(by: { uuid: "${ada.id}" }) { following(first: 1, offset: ${offset}) { nodes { uuid } } } }`
  expect(await rowsRead('follows', source)).toBeGreaterThan(offset)
  expect(await rowsRead('users', source)).toBeLessThan(10)
})
