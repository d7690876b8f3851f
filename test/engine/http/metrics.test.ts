import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { KeyedSemaphore } from '../../../src/engine/data/keyed-semaphore.ts'
import { addDocuments, documentHash } from '../../../src/engine/graphql/stored-documents.ts'
import { readConfig } from '../../../src/server/config.ts'
import { addCleanUp } from '../../../src/server/jobs.ts'
import { type Measured, measure } from '../../../src/server/metrics-port.ts'
import { serve } from '../../../src/server/serve.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { keepLog } from '../../support/database/statements.ts'
import { onPostgres, openTestDatabase } from '../../support/database.ts'
import { settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { eventsOf, subscribe, take } from '../../support/graphql/events.ts'
import { publish } from '../../support/graphql/publish.ts'
import { valueIn } from '../../support/processes/metrics.ts'
import { textOf } from '../../support/project/source-files.ts'

const anyPort = { host: '127.0.0.1', port: 0 }

let plain: TestApp
let app: TestApp
let measured: Measured
let ada: Person
beforeAll(async () => {
  plain = await startApp()
  measured = await measure(plain.database, anyPort)
  app = await startApp(
    { metrics: measured.metrics, budgets: budgets({ points: 10_000, seconds: 3_600 }) },
    sharing(plain),
  )
  ada = await app.person()
})
afterAll(async () => {
  await measured.close()
  await app.close()
  await plain.close()
})

const scrape = async () => (await fetch(measured.url ?? '')).text()

/** By how much the work increases the values of these series. */
async function increases(series: readonly string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await scrape()
  await work()
  const after = await scrape()
  return series.map((name) => valueIn(name, after) - valueIn(name, before))
}

/** A series of requests. */
const requests = (surface: string, operation: string, status: number) =>
  `rookery_requests_total{surface="${surface}",operation="${operation}",status="${status}"}`

test('requests of REST are counted by operation and status, and timed', async () => {
  const timed = 'rookery_request_duration_seconds_count{surface="rest",operation="getOwnUser"}'
  const series = [requests('rest', 'getOwnUser', 200), requests('rest', 'other', 401), timed]
  const work = async () => {
    await app.rest(ada.token, 'GET', '/user')
    await app.rest(ada.token, 'GET', '/user')
    await app.rest(undefined, 'GET', '/user')
  }
  expect(await increases(series, work)).toEqual([2, 1, 2])
})

test('operations of trusted documents are counted by name, and those that clients name as one', async () => {
  const source = 'query Stored { viewer { username } }'
  await addDocuments(app.database, [{ source, operations: ['Stored'] }])
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ documentId: documentHash(source) })
  const work = async () => {
    await fetch(`${app.origin}/graphql`, { method: 'POST', headers, body })
    for (const name of ['First', 'Second', 'Second']) await app.graphql(ada.token, `query ${name} { __typename }`)
  }
  expect(await increases([requests('graphql', 'Stored', 200), requests('graphql', 'other', 200)], work)).toEqual([1, 3])
  expect(await scrape()).not.toContain('Second')
})

test('the metrics contain nothing about users', async () => {
  await app.graphql(ada.token, 'query($id: UUID!) { user(uuid: $id) { username } }', { id: ada.id })
  await app.rest(ada.token, 'GET', `/user/@${ada.username}`)
  const text = await scrape()
  for (const secret of [ada.id, ada.username, ada.token]) expect(text).not.toContain(secret)
})

test('responses with errors are counted by their code, and points as long as the budget has some', async () => {
  const errors = (code: string) => `rookery_errors_total{surface="graphql",code="${code}"}`
  const poor = await app.person()
  const work = async () => {
    for (let requests = 0; requests < 110; requests += 1) await app.graphql(poor.token, '{')
  }
  const series = [errors('BAD_REQUEST'), errors('RATE_LIMITED'), 'rookery_points_total']
  expect(await increases(series, work)).toEqual([100, 10, 10_000])
})

test('statements are timed, and batches counted by their runs', async () => {
  const series = ['rookery_statement_duration_seconds_count', 'rookery_batch_runs_count', 'rookery_batch_runs_sum']
  const work = () =>
    Promise.all(Array.from({ length: 4 }, () => app.graphql(ada.token, '{ viewer { username displayName } }')))
  const [statements = 0, batches = 0, runs] = await increases(series, work)
  expect(runs).toBe(4)
  expect(batches).toBeGreaterThan(0)
  expect(statements).toBeGreaterThanOrEqual(batches)
  const [ofPrisma] = await increases(series, () => app.database.write.prisma.$transaction((it) => it.user.count()))
  expect(ofPrisma).toBeGreaterThan(0)
})

test('connections and slots are counted, with what waits for them', async () => {
  const slots = new KeyedSemaphore({ atOnce: 1, waiting: 1, waitTimeout: 10_000 })
  measured.metrics.add({ slots: { test: slots } })
  const release = await slots.take('a')
  const waiting = slots.take('a')
  await slots.take('b')
  const text = await scrape()
  const test = ['held', 'waiting'].map((state) => valueIn(`rookery_slots{of="test",state="${state}"}`, text))
  expect(test).toEqual([2, 1])
  release()
  await waiting
  for (const of of ['address_requests', 'account_requests', 'statements', 'account_statements'])
    expect(text).toContain(`rookery_slots{of="${of}",state="held"} `)
  for (const pool of ['requests', 'reserved'])
    expect(valueIn(`rookery_connections{pool="${pool}",state="open"}`, text)).toBeGreaterThan(0)
  expect(text).toContain('nodejs_eventloop_lag_seconds ')
})

const lag = 'rookery_feed_lag_seconds'

test('the feed has no lag when readers see all changes', async () => {
  await publish(app, ada)
  await untilSettled(app)
  expect(await scrape()).toContain(`\n${lag} 0\n`)
})

// The embedded database has one connection.
test.runIf(onPostgres)(
  'the lag of the feed is the age of the oldest change that an open transaction hides',
  async () => {
    await app.database.write.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`select pg_current_xact_id()`
      const since = performance.now()
      await publish(app, ada)
      const before = valueIn(lag, await scrape())
      expect(before).toBeGreaterThan(0)
      await publish(app, ada)
      const after = valueIn(lag, await scrape())
      expect(after).toBeGreaterThan(before)
      expect(after).toBeLessThanOrEqual((performance.now() - since) / 1_000 + 0.001)
    })
  },
)

test('the first scrape has the delay of each kind of jobs', async () => {
  await addCleanUp(app.database)
  await app.database.write.prisma.job.updateMany({ data: { dueAt: new Date(0) } })
  const other = await measure(plain.database, anyPort)
  const text = await (await fetch(other.url ?? '')).text()
  await other.close()
  expect(valueIn('rookery_job_delay_seconds{kind="clean-up"}', text)).toBeGreaterThan(1_000_000)
})

test('without the database, the lag of the feed is left out', async () => {
  const lost = { ...plain.database, runReserved: () => Promise.reject(new Error('lost')) }
  const other = await measure(lost, anyPort)
  const text = await (await fetch(other.url ?? '')).text()
  expect(text).toContain('rookery_connections')
  expect(text).not.toContain(`\n${lag} `)
  await other.close()
})

test('scrapes at the same time all get the delays of the event loop', async () => {
  const texts = await Promise.all(Array.from({ length: 5 }, scrape))
  for (const text of [...texts, await scrape()]) {
    expect(text).not.toMatch(/nan$/im)
    expect(valueIn('nodejs_eventloop_lag_min_seconds', text)).toBeLessThan(60)
    expect(valueIn('nodejs_eventloop_lag_p99_seconds', text)).toBeGreaterThan(0.001)
  }
})

test('streams and polls are counted while they wait for changes', async () => {
  const open = async () => {
    const text = await scrape()
    return ['stream', 'poll'].map((kind) => valueIn(`rookery_subscriptions{kind="${kind}"}`, text))
  }
  const becomes = (counts: readonly number[]) => vi.waitFor(async () => expect(await open()).toEqual(counts))
  expect(await open()).toEqual([0, 0])
  const after = await settledCursor(app, ada)
  const events = eventsOf(await subscribe(app, ada, { variables: { after } }))
  await becomes([1, 0])
  const poll = app.rest(ada.token, 'GET', `/changes?after=${after}`, undefined, { prefer: 'wait=25' })
  await becomes([1, 1])
  await publish(app, ada)
  await poll
  await take(events, 1)
  await becomes([1, 0])
  await events.return(undefined)
  await becomes([0, 0])
})

test('the documents and the dashboard name the metrics that exist', async () => {
  await addCleanUp(app.database)
  const text = await scrape()
  const own = [...text.matchAll(/^# TYPE (rookery_\w+)/gm)].map(([, name]) => name)
  const documented = [...textOf('docs/operate.md').matchAll(/^\| `(rookery_\w+)`/gm)].map(([, name]) => name)
  expect(documented.sort()).toEqual(own.sort())
  const dashboard = z
    .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) })
    .parse(JSON.parse(textOf('docs/grafana.json')))
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const used = queries.flatMap((query) => query.match(/\b(?:rookery|nodejs|process)_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(own.length)
  expect(used.filter((name) => !new RegExp(`^${name}[ {]`, 'm').test(text))).toEqual([])
})

test('a server measures only if METRICS_PORT is set, and until it stops', async () => {
  const { log } = keepLog()
  const start = async (settings: Record<string, string>) => {
    const database = await openTestDatabase(log)
    const server = await serve(database, readConfig({ PORT: '0', DEMO: 'off', ...settings }), log)
    return { ...server, isMeasured: () => database.instrumentation.statements.hasSubscribers }
  }
  const without = await start({})
  expect([without.metricsUrl, without.isMeasured()]).toEqual([undefined, false])
  await without.stop()
  const server = await start({ METRICS_PORT: '0' })
  expect(server.isMeasured()).toBe(true)
  const url = server.metricsUrl ?? ''
  expect(url).not.toContain(server.origin)
  const response = await fetch(url)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  expect((await fetch(new URL('/graphql', url))).status).toBe(404)
  await server.stop()
  expect(server.isMeasured()).toBe(false)
  await expect(fetch(url)).rejects.toThrow()
})
