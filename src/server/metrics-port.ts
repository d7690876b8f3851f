import { fastify } from 'fastify'
import { AggregatorRegistry } from 'prom-client'
import type { Database } from '../data/database.ts'
import { Metrics } from '../http/metrics.ts'
import { listen, type Place } from './listen.ts'

/** The numbers of this process. */
export type Measured = { readonly metrics: Metrics; close(): Promise<void> }

/** Numbers that are served. */
export type ServedMetrics = Measured & { readonly url: string }

/** Measures this process, for the primary process if it is a worker. */
export function measure(database: Database): Measured {
  const metrics = new Metrics(database)
  return { metrics, close: async () => metrics.close() }
}

/** Measures, and serves the numbers to Prometheus on a port of its own. Throws a `ConfigError`. */
export async function serveMetrics(database: Database, place: Place): Promise<ServedMetrics> {
  const { metrics, close } = measure(database)
  const served = await serveText(() => metrics.registry.metrics(), place).catch(async (error) => {
    await close()
    throw error
  })
  const closeAll = async () => {
    await close()
    await served.close()
  }
  return { metrics, url: served.url, close: closeAll }
}

/** Serves the numbers of all workers together. Throws a `ConfigError`. */
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
