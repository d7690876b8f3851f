import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Instrumentation, SentStatement } from '../engine/data/instrumentation.ts'
import { tracer } from '../engine/execution/tracing.ts'

/** Makes a span for each request and each statement. A request belongs to the trace that its `traceparent` names. */
export function addTracing(server: FastifyInstance, instrumentation: Instrumentation): void {
  const contexts = new WeakMap<FastifyRequest, Context>()
  server.addHook('onRequest', (request, reply, done) => {
    const { id, lifetime, method, headers, routeOptions } = request
    if (routeOptions.logLevel === 'debug') return done()
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const route = routeOptions.url
    const attributes = { 'http.request.method': method, 'http.route': route, 'rookery.request.id': id }
    const name = route === undefined ? method : `${method} ${route}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
    lifetime.atEnd(() => {
      const { headersSent, statusCode } = reply.raw
      if (headersSent) span.setAttribute('http.response.status_code', statusCode)
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    const active = trace.setSpan(parent, span)
    contexts.set(request, active)
    context.with(active, done)
  })
  // What follows the arrival of the body would run in another context.
  server.addHook('preHandler', (request, _reply, done) => context.with(contexts.get(request) ?? ROOT_CONTEXT, done))
  const end = traceStatements(instrumentation)
  server.addHook('onClose', async () => end())
}

/**
 * Makes a span for each statement that runs for a request, until it is ended. Messages of the database may contain values, so only
 * their codes are kept.
 */
function traceStatements(instrumentation: Instrumentation): () => void {
  const spans = new WeakMap<SentStatement, Span>()
  return instrumentation.observe({
    start: (statement) => {
      if (!trace.getActiveSpan()) return
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': statement.text }
      spans.set(statement, tracer.startSpan('postgresql', { kind: SpanKind.CLIENT, attributes }))
    },
    error: (statement) => {
      const { code } = Object(statement.error)
      if (typeof code === 'string') spans.get(statement)?.setAttribute('db.response.status_code', code)
      spans.get(statement)?.setStatus({ code: SpanStatusCode.ERROR })
    },
    asyncEnd: (statement) => spans.get(statement)?.end(),
  })
}
