import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Person, sharing, startApp, type TestApp } from '../support/app.ts'

const exporter = new InMemorySpanExporter()
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const headers = { traceparent: `00-${caller.traceId}-${caller.spanId}-01` }

let plain: TestApp
let app: TestApp
let ada: Person
beforeAll(async () => {
  plain = await startApp()
  const isObserved = () => plain.database.instrumentation.statements.hasSubscribers
  expect(isObserved()).toBe(false)
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
  app = await startApp({}, sharing(plain))
  expect(isObserved()).toBe(true)
  ada = await app.person()
})
beforeEach(() => exporter.reset())
afterAll(async () => {
  await app.close()
  await plain.close()
  for (const api of [trace, context, propagation]) api.disable()
})

const ids = ({ traceId, spanId }: { traceId: string; spanId: string }) => `${traceId} ${spanId}`

/** The spans of a kind, with those that they belong to. */
async function spansOf(work: () => Promise<unknown>) {
  await work()
  // A request ends when its response has been delivered, of which its client knows first.
  const finished = () => exporter.getFinishedSpans()
  while (!finished().some(({ kind }) => kind === SpanKind.SERVER))
    await new Promise((resolve) => setTimeout(resolve, 5))
  const of = (wanted: SpanKind) => finished().filter(({ kind }) => kind === wanted)
  return { requests: of(SpanKind.SERVER), operations: of(SpanKind.INTERNAL), statements: of(SpanKind.CLIENT) }
}

const parents = (spans: readonly ReadableSpan[]) =>
  spans.map(({ parentSpanContext }) => parentSpanContext && ids(parentSpanContext))
const own = (span: ReadableSpan | undefined) => span && ids(span.spanContext())

test.each([
  ['query Own { viewer { username } }', 'query', 'Own'],
  ['query Own { viewer { username } }', 'query', 'Own'],
  ['{ homeTimeline(first: 2) { nodes { content } } }', 'query', 'query'],
  ['mutation { sendPost(input: { content: "A secret" }) { publication { uuid } } }', 'mutation', 'mutation'],
])('%s has a span for the request, the operation and each statement', async (document, type, name) => {
  const found = await spansOf(() => app.graphql(ada.token, document, {}, { headers }))
  const [[request], [operation]] = [found.requests, found.operations]
  expect(found.requests).toMatchObject([
    { name: 'POST /graphql', attributes: { 'http.route': '/graphql', 'http.response.status_code': 200 } },
  ])
  expect(parents(found.requests)).toEqual([ids(caller)])
  expect(found.operations).toMatchObject([
    { name: type, attributes: { 'graphql.operation.type': type, 'graphql.operation.name': name } },
  ])
  expect(parents(found.operations)).toEqual([own(request)])
  const ofOperation = found.statements.filter((_, at) => parents(found.statements)[at] === own(operation))
  expect(ofOperation.length).toBeGreaterThan(0)
  // The others look up the token.
  const lookups = found.statements.filter((statement) => !ofOperation.includes(statement))
  expect(parents(lookups)).toEqual(lookups.map(() => own(request)))
  for (const { attributes } of found.statements)
    expect(attributes['db.query.text']).toMatch(/select|update|insert|begin|commit/i)
  const all = [...found.requests, ...found.operations, ...found.statements].map(({ attributes }) => attributes)
  for (const secret of ['A secret', ada.username, ada.token, ada.id]) expect(JSON.stringify(all)).not.toContain(secret)
})

test('a REST request is named by its route, and begins a trace if it belongs to none', async () => {
  const found = await spansOf(() => app.rest(ada.token, 'GET', `/user/${ada.id}`))
  expect(found.requests).toMatchObject([{ name: 'GET /api/v1/user/:user', parentSpanContext: undefined }])
  expect(parents(found.operations)).toEqual([own(found.requests[0])])
  expect(JSON.stringify(found.requests[0]?.attributes)).not.toContain(ada.id)
})

test('a statement that fails is marked, with the code but without the message of the database', async () => {
  const failing = () => app.database.runReserved("select 'secret'::int", []).catch(() => undefined)
  await trace.getTracer('test').startActiveSpan('request', failing)
  const [span] = exporter.getFinishedSpans()
  expect(span).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'db.response.status_code': '22P02' },
    events: [],
  })
})

test('health checks have no span', async () => {
  await fetch(`${app.origin}/health/live`)
  const { requests } = await spansOf(() => app.rest(ada.token, 'GET', '/user'))
  expect(requests.map(({ name }) => name)).toEqual(['GET /api/v1/user'])
})
