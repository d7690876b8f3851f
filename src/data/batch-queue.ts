import { clientIsGone, type Requester, tooBusy } from './requester.ts'

/** A job that waits for its batch. */
export type Job<Input, Output> = {
  readonly input: Input
  readonly requester: Requester | undefined
  readonly since: number
  readonly resolve: (output: Output) => void
  readonly reject: (error: unknown) => void
}

/** The limits of a `BatchQueue`. */
export type BatchLimits = {
  /** The maximum number of running batches, beyond which jobs wait. */
  readonly inProgress: number
  /** The maximum number of jobs in a batch. */
  readonly batchSize: number
  /** The maximum waiting time of a job, in milliseconds. */
  readonly waitTimeout: number
}

/** How long a job waits before it matters whether its client is gone, in milliseconds. Most signals are only created when they are read. */
const longWait = 50

/** Whether a job may start: it has not waited for too long, and its client is still connected. Otherwise rejects it. */
export function mayStart<Input, Output>(job: Job<Input, Output>, waitTimeout: number): boolean {
  const waited = performance.now() - job.since
  const isGone = waited > longWait && job.requester?.signal?.aborted
  if (!isGone && waited <= waitTimeout) return true
  job.reject(isGone ? clientIsGone() : tooBusy())
  return false
}

/**
 * Runs jobs in batches. A job starts immediately, in a batch with those of the same turn of the event loop, while few batches are
 * running. Otherwise it waits for one of them to end and joins the other waiting jobs.
 */
export class BatchQueue<Input, Output> {
  readonly #limits: BatchLimits
  readonly #run: (batch: readonly Job<Input, Output>[]) => Promise<void>
  readonly #onIdle: () => void
  readonly #waiting: Job<Input, Output>[] = []
  #running = 0
  #isScheduled = false
  #expiry: NodeJS.Timeout | undefined

  /** `run` settles the jobs of a batch and never rejects. `onIdle` is called when nothing runs and nothing waits. */
  constructor(limits: BatchLimits, run: (batch: readonly Job<Input, Output>[]) => Promise<void>, onIdle: () => void) {
    this.#limits = limits
    this.#run = run
    this.#onIdle = onIdle
  }

  /** Adds a job. Rejects it with `UNAVAILABLE` if it waits for too long, or if its client has disconnected before it starts. */
  add(job: Job<Input, Output>): void {
    this.#waiting.push(job)
    if (this.#isScheduled) return
    if (this.#running >= this.#limits.inProgress) {
      this.#expireLater()
      return
    }
    this.#isScheduled = true
    // Wait for the promises of this turn, which may add more jobs.
    void Promise.resolve().then(() => process.nextTick(() => this.#start()))
  }

  #start(): void {
    this.#isScheduled = false
    while (this.#running < this.#limits.inProgress) {
      const batch = this.#take()
      if (batch.length === 0) break
      this.#running += 1
      void this.#run(batch).then(() => {
        this.#running -= 1
        this.#start()
      })
    }
    if (this.#waiting.length > 0) this.#expireLater()
    else if (this.#running === 0 && !this.#isScheduled) {
      clearTimeout(this.#expiry)
      this.#expiry = undefined
      this.#onIdle()
    }
  }

  #take(): Job<Input, Output>[] {
    const batch: Job<Input, Output>[] = []
    while (batch.length < this.#limits.batchSize) {
      const job = this.#waiting.shift()
      if (job === undefined) break
      if (mayStart(job, this.#limits.waitTimeout)) batch.push(job)
    }
    return batch
  }

  #expireLater(): void {
    const [first] = this.#waiting
    if (this.#expiry !== undefined || first === undefined) return
    const left = first.since + this.#limits.waitTimeout - performance.now()
    // Timers use whole milliseconds, so one may fire slightly early.
    this.#expiry = setTimeout(() => this.#expire(), Math.max(0, left) + 1).unref()
  }

  #expire(): void {
    this.#expiry = undefined
    const latest = performance.now() - this.#limits.waitTimeout
    while (this.#waiting[0] && this.#waiting[0].since <= latest) this.#waiting.shift()?.reject(tooBusy())
    this.#expireLater()
  }
}
