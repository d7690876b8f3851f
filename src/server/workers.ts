import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { metricsPlace, originOf } from './listen.ts'
import type { RunningServer } from './serve.ts'

/** How long until a worker that ended is started again, in milliseconds: twice as long each time, unless it ran for `well`. */
const pauses = { least: 500, most: 30_000, well: 60_000 } as const

/**
 * Starts workers that share the port, and starts those again that end. Undefined if the first one, which also migrates the database, cannot
 * start: it says why, and this process gets its exit code.
 */
export async function startWorkers(config: Config, log: Log): Promise<RunningServer | undefined> {
  // They accept connections themselves: one that the primary process hands to a worker that was just killed would never be closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const place = metricsPlace(config)
  // First, so that no worker runs if it fails.
  const metrics = place && (await (await import('./metrics-port.ts')).serveWorkerMetrics(place))
  const first = cluster.fork()
  const port = await portOf(first)
  if (port === undefined) {
    await metrics?.close()
    process.exitCode = first.process.exitCode ?? 1
    return undefined
  }
  const others = Array.from({ length: config.workers - 1 }, () => cluster.fork())
  const stopping = new AbortController()
  const running = [first, ...others].map((worker) => keepRunning(worker, stopping.signal, log))
  await Promise.all(others.map(portOf))
  const origin = originOf(config.host, port)
  return {
    origin,
    url: origin + config.prefix,
    metricsUrl: metrics?.url,
    hasGraphiQL: config.graphiql,
    demoToken: undefined,
    whyNoToken: undefined,
    stop: async () => {
      stopping.abort()
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
      await Promise.all(running)
      await metrics?.close()
    },
  }
}

/** The port that a worker listens on. Undefined if it ends before. */
function portOf(worker: Worker): Promise<number | undefined> {
  return new Promise((resolve) => {
    worker.once('listening', ({ port }) => resolve(port)).once('exit', () => resolve(undefined))
  })
}

/** Starts the worker again each time it ends, until all stop. */
async function keepRunning(first: Worker, stopping: AbortSignal, log: Log): Promise<void> {
  let pause: number = pauses.least
  for (let worker = first; ; worker = cluster.fork()) {
    const since = performance.now()
    const [code, signal] = await once(worker, 'exit')
    if (stopping.aborted) {
      if (code) process.exitCode = code
      return
    }
    if (performance.now() - since > pauses.well) pause = pauses.least
    log.warn({ worker: worker.process.pid, code, signal, pause }, 'a worker ended')
    await sleep(pause, undefined, { signal: stopping }).catch(() => undefined)
    if (stopping.aborted) return
    pause = Math.min(2 * pause, pauses.most)
  }
}
