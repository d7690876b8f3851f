import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/engine/log.ts'
import { type Measured, measure } from '../../src/server/metrics-port.ts'
import { budgets, type Person, startApp, type TestApp } from '../support/app.ts'
import { openTestDatabase } from '../support/database.ts'
import { balanceOf } from '../support/http/balance.ts'
import { valueIn } from '../support/processes/metrics.ts'
import { sourceFiles, textOf } from '../support/project/source-files.ts'

type Server = TestApp & { readonly measured: Measured; readonly ada: Person }

async function start(): Promise<Server> {
  const database = await openTestDatabase(createLog('silent'))
  const measured = await measure(database, { host: '127.0.0.1', port: 0 })
  const settings = { metrics: measured.metrics, budgets: budgets({ points: 10_000, seconds: 3_600 }) }
  const app = await startApp(settings, async () => database)
  return { ...app, measured, ada: await app.person('ada') }
}

let busy: Server
let quiet: Server
beforeAll(async () => {
  busy = await start()
  quiet = await start()
})
afterAll(async () => {
  for (const { measured, close } of [busy, quiet]) {
    await measured.close()
    await close()
  }
})

const series = ['rookery_statement_duration_seconds_count', 'rookery_batch_runs_sum', 'rookery_points_total']

async function measuredAt({ measured }: Server): Promise<number[]> {
  const text = await (await fetch(measured.url ?? '')).text()
  return series.map((name) => valueIn(name, text))
}

/** What is left of a budget after a request. */
async function remainingAt(server: Server): Promise<number> {
  const { headers } = await server.rest(server.ada.token, 'GET', '/user')
  return balanceOf(headers).remaining
}

test('a server measures and charges its own requests alone', async () => {
  const [ofBusy, ofQuiet] = [await measuredAt(busy), await measuredAt(quiet)]
  const first = await remainingAt(busy)
  for (let requests = 1; requests < 6; requests += 1) await remainingAt(busy)
  const [statements = 0, runs = 0, points = 0] = (await measuredAt(busy)).map((value, at) => value - (ofBusy[at] ?? 0))
  expect(runs).toBe(6)
  expect(statements).toBeGreaterThanOrEqual(6)
  expect(points).toBeGreaterThan(0)
  const others = (await measuredAt(quiet)).map((value, at) => value - (ofQuiet[at] ?? 0))
  // The scrape reads the lag of the feed, and counts the jobs.
  expect(others).toEqual([2, 0, 0])
  expect(await remainingAt(quiet)).toBe(first)
})

test('no module has a cache that servers could notice each other by', () => {
  const cache = /^(?:export )?(?:const|let) \w+(?:: [^=]+)? = new (?:\w*Cache|(?:Weak)?(?:Map|Set))\b.*\((?:\)|\{)/m
  expect(sourceFiles('src').filter((path) => cache.test(textOf(path)))).toEqual([
    // What was decoded of the arguments of a run, by the variables that only this run has.
    'src/engine/compiler/arguments.ts',
    // Texts for batches, which depend on the texts of their statements alone.
    'src/engine/data/batches.ts',
    // The logs of servers whose proxies are not trusted.
    'src/engine/http/viewer.ts',
    // Where the values of a line of an export come from.
    'src/features/transfer/lines.ts',
  ])
})
