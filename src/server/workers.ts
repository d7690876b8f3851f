import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../engine/log.ts'
import type { Config } from './config.ts'
import { metricsAddress, originOf } from './listen.ts'
import type { RunningServer } from './serve.ts'
import { WorkerProcess } from './worker-process.ts'

/** How long until a worker that ended is started again, in milliseconds: twice as long each time, unless it ran for `well`. */
const pauses = { min: 500, max: 30_000, well: 60_000 } as const

/**
 * How often a worker is asked whether it is alive, in milliseconds, and for how many questions it may be silent while it starts and
 * serves.
 */
const question = { interval: 1_000, toStart: 60, toServe: 10 } as const

/** How long a worker may take to stop after its delay, in milliseconds: longer than it waits for requests in progress. */
const stopTimeout = 11_000

/**
 * Starts workers that share the port, and starts those again that end or do not answer. Undefined if the first one, which also migrates the
 * database, cannot start: it says why, and this process gets its exit code.
 */
export async function startWorkers(config: Config, log: Log): Promise<RunningServer | undefined> {
  // They accept connections themselves: one that the primary process hands to a worker that was just killed would never be closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const place = metricsAddress(config)
  const workers = new Set<WorkerProcess>()
  // First, so that no worker runs if it fails.
  const metrics = place && (await (await import('./metrics-port.ts')).serveWorkerMetrics(workers, place))
  const first = startWorker(workers, log)
  const port = await first.port
  if (port === undefined) {
    await metrics?.close()
    process.exitCode = (await first.ended).code ?? 1
    return undefined
  }
  const others = Array.from({ length: config.workers - 1 }, () => startWorker(workers, log))
  const stopping = new AbortController()
  const allServe = Promise.all(others.map((worker) => worker.port))
  const kept = [first, ...others].map((worker) =>
    keepRunning(worker, { workers, allServe, stopping: stopping.signal, log }),
  )
  await allServe
  return {
    origin: originOf(config.host, port),
    metricsUrl: metrics?.url,
    stop: async () => {
      stopping.abort()
      for (const worker of workers) worker.kill('SIGTERM')
      const late = setTimeout(
        () => {
          for (const worker of workers) end(worker, 'a worker does not stop', log)
        },
        config.stopDelay * 1_000 + stopTimeout,
      )
      await Promise.all(kept)
      clearTimeout(late)
      await metrics?.close()
    },
  }
}

function startWorker(workers: Set<WorkerProcess>, log: Log): WorkerProcess {
  const worker = new WorkerProcess()
  workers.add(worker)
  worker.ended.then(() => workers.delete(worker))
  endIfSilent(worker, log)
  return worker
}

type Running = {
  readonly workers: Set<WorkerProcess>
  readonly allServe: Promise<unknown>
  readonly stopping: AbortSignal
  readonly log: Log
}

/**
 * Starts the worker again each time it ends, until all stop. It is ready when all serve, so that the first ones do not get every
 * request.
 */
async function keepRunning(first: WorkerProcess, { workers, allServe, stopping, log }: Running) {
  let pause: number = pauses.min
  for (let worker = first; ; worker = startWorker(workers, log)) {
    const since = performance.now()
    const started = worker
    Promise.all([started.port, allServe]).then(() => started.ask('allServe', question.interval))
    const end = await worker.ended
    if (stopping.aborted) {
      if (end.code) process.exitCode = end.code
      return
    }
    if (performance.now() - since > pauses.well) pause = pauses.min
    log.warn({ worker: worker.pid, ...end, pause }, 'a worker ended')
    await sleep(pause, undefined, { signal: stopping }).catch(() => undefined)
    if (stopping.aborted) return
    pause = Math.min(2 * pause, pauses.max)
  }
}

/** Ends a worker that is silent for too many questions. Time does not count, because this process may have been stopped itself. */
async function endIfSilent(worker: WorkerProcess, log: Log): Promise<void> {
  for (let silence = 0; !worker.hasEnded; ) {
    worker.ask('isAlive', question.interval)
    await sleep(question.interval, undefined, { ref: false })
    silence = worker.wasHeard() ? 0 : silence + 1
    const limit = worker.isServing ? question.toServe : question.toStart
    if (silence >= limit) return end(worker, 'a worker does not answer', log)
  }
}

function end(worker: WorkerProcess, why: string, log: Log): void {
  log.warn({ worker: worker.pid }, why)
  worker.kill('SIGKILL')
}
