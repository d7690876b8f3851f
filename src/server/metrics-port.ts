import { fastify } from 'fastify'
import type { Database } from '../data/database.ts'
import { Metrics } from '../http/metrics.ts'
import { listen, type Place } from './listen.ts'

/** Numbers that are served. */
export type ServedMetrics = { readonly metrics: Metrics; readonly url: string; close(): Promise<void> }

/** Measures, and serves the numbers to Prometheus on a port of its own. Throws a `ConfigError`. */
export async function serveMetrics({ resources }: Database, place: Place): Promise<ServedMetrics> {
  const metrics = new Metrics(resources)
  const server = fastify({ forceCloseConnections: true })
  server.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType)
    return metrics.registry.metrics()
  })
  const close = async () => {
    metrics.close()
    await server.close()
  }
  const origin = await listen(server, place).catch((error) => {
    metrics.close()
    throw error
  })
  return { metrics, url: `${origin}/metrics`, close }
}
