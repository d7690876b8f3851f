import { AggregatorRegistry } from 'prom-client'
import type { ProcessMetrics, WorkerProcess } from './worker-process.ts'

/** How long a worker may take for its metrics, in milliseconds. It waits for the database for half of it. */
const timeout = 2_000

/**
 * The metrics of all workers together. Counters and histograms include what is known of workers that ended or do not answer, so that no sum
 * falls; gauges are those of the workers that answer.
 */
export class WorkerMetrics {
  readonly #workers: ReadonlySet<WorkerProcess>
  readonly #last = new Map<WorkerProcess, ProcessMetrics>()
  #ofEnded: ProcessMetrics = []

  constructor(workers: ReadonlySet<WorkerProcess>) {
    this.#workers = workers
  }

  /** The text for Prometheus. Only one call may be in progress. */
  async text(): Promise<string> {
    const answering = await Promise.all(
      [...this.#workers].map(async (worker) => {
        const metrics = await worker.ask('metrics', timeout)
        if (metrics) this.#last.set(worker, metrics)
        return metrics && worker
      }),
    )
    const parts = [...this.#last].map(([worker, metrics]) => (answering.includes(worker) ? metrics : counted(metrics)))
    const text = await sum([this.#ofEnded, ...parts]).metrics()
    await this.#forgetEnded()
    return text
  }

  /** Keeps only the sums of the workers that ended. */
  async #forgetEnded(): Promise<void> {
    const ended = [...this.#last.keys()].filter((worker) => !this.#workers.has(worker))
    const parts = ended.map((worker) => counted(this.#last.get(worker) ?? []))
    this.#ofEnded = await sum([this.#ofEnded, ...parts]).getMetricsAsJSON()
    for (const worker of ended) this.#last.delete(worker)
  }
}

/** Those that only grow. */
function counted(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.filter(({ type }) => String(type) !== 'gauge')
}

const sum = (parts: ProcessMetrics[]) => AggregatorRegistry.aggregate(parts)
