import { fastify } from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import type { Database } from '../data/database.ts'
import { Metrics } from '../http/metrics.ts'
import { listen, type Place } from './listen.ts'

/** The metrics of this process, and where Prometheus finds them; undefined in a worker, whose primary process serves them. */
export type Measured = { readonly metrics: Metrics; readonly url: string | undefined; close(): Promise<void> }

/** Measures this process, and serves the metrics on a port of their own if there is one. Throws a `ConfigError`. */
export async function measure(database: Database, place: Place | undefined): Promise<Measured> {
  const metrics = new Metrics(database)
  try {
    const served = place && (await serveText(() => metrics.registry.metrics(), place))
    const close = async () => {
      metrics.close()
      await served?.close()
    }
    return { metrics, url: served?.url, close }
  } catch (error) {
    metrics.close()
    throw error
  }
}

/** Serves the metrics of all workers together. Throws a `ConfigError`. */
export function serveWorkerMetrics(place: Place) {
  const registry = new AggregatorRegistry()
  return serveText(() => registry.clusterMetrics(), place)
}

async function serveText(text: () => Promise<string>, place: Place) {
  const server = fastify({ forceCloseConnections: true })
  server.get('/metrics', async (_request, reply) => {
    reply.type(AggregatorRegistry.PROMETHEUS_CONTENT_TYPE)
    return text()
  })
  const origin = await listen(server, place)
  return { url: `${origin}/metrics`, close: () => server.close() }
}
