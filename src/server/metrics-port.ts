import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import { Registry } from 'prom-client'
import type { Database } from '../engine/data/database.ts'
import { Metrics } from '../engine/http/metrics.ts'
import { feedLag } from '../features/changes/stored-changes.ts'
import { type ListenAddress, listen } from './listen.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { answerPrimary, type WorkerProcess } from './worker-process.ts'

/**
 * How long a scrape waits for others, in milliseconds. A shorter time may have no sample of the event loop's delay, which each
 * scrape resets.
 */
const sharing = 20

/** The metrics of this process, and where Prometheus finds them; undefined in a worker, whose primary process serves them. */
export type Measured = { readonly metrics: Metrics; readonly url: string | undefined; close(): Promise<void> }

/** Measures this process, and serves the metrics on a port of their own if there is one. Throws a `ConfigError`. */
export async function measure(database: Database, place: ListenAddress | undefined): Promise<Measured> {
  const metrics = new Metrics(database, [
    {
      name: 'rookery_feed_lag_seconds',
      help: 'The age of the oldest change that readers cannot see yet, because a transaction is open.',
      read: () => feedLag(database),
    },
  ])
  try {
    if (place === undefined) answerPrimary('metrics', () => metrics.registry.getMetricsAsJSON())
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
export function serveWorkerMetrics(workers: ReadonlySet<WorkerProcess>, place: ListenAddress) {
  const metrics = new WorkerMetrics(workers)
  return serveText(() => metrics.text(), place)
}

/** Serves a text. Scrapes at the same time share it. */
async function serveText(collect: () => Promise<string>, place: ListenAddress) {
  const server = fastify({ forceCloseConnections: true })
  let scraping: Promise<string> | undefined
  const scrape = () => {
    scraping ??= sleep(sharing)
      .then(collect)
      .finally(() => {
        scraping = undefined
      })
    return scraping
  }
  server.get('/metrics', async (_request, reply) => {
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE)
    return scrape()
  })
  const origin = await listen(server, place)
  return { url: `${origin}/metrics`, close: () => server.close() }
}
