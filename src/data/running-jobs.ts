/** A job that runs for an account. */
export type Job = { readonly account: string; readonly begun: number }

/**
 * How long a job took, and by how much it prolonged the time in which jobs of its account ran, in milliseconds. Both are 0 for a job of a
 * serial queue that ends before an older one.
 */
export type JobTime = { readonly duration: number; readonly added: number }

/** The number of running jobs of an account, and the time up to which they have been counted. */
type Running = { jobs: number; countedUntil: number }

/** Counts the running jobs of each account, and measures their time. */
export class RunningJobs {
  readonly #isSerial: boolean
  /** All running jobs, oldest first. */
  readonly #jobs = new Set<Job>()
  readonly #accounts = new Map<string, Running>()
  #lastEnd = 0

  /** See `QueueLimits.isSerial`. */
  constructor(isSerial: boolean) {
    this.#isSerial = isSerial
  }

  /** The number of all running jobs. */
  get size(): number {
    return this.#jobs.size
  }

  /** Returns the number of running jobs of an account. */
  of(account: string): number {
    return this.#accounts.get(account)?.jobs ?? 0
  }

  /** Returns how long the running jobs of an account have been served since the last of its jobs ended, in milliseconds. */
  uncounted(account: string): number {
    const running = this.#isSerial ? undefined : this.#accounts.get(account)
    return running ? performance.now() - running.countedUntil : 0
  }

  /** Returns whether jobs of other accounts run. */
  hasOther(account: string): boolean {
    return this.#jobs.size > this.of(account)
  }

  /** Starts a job of an account. */
  start(account: string): Job {
    const job = { account, begun: performance.now() }
    this.#jobs.add(job)
    const running = this.#accounts.get(account)
    if (running) running.jobs += 1
    else this.#accounts.set(account, { jobs: 1, countedUntil: job.begun })
    return job
  }

  /** Ends a job, and returns its time. */
  end(job: Job): JobTime {
    const now = performance.now()
    const [oldest] = this.#jobs
    this.#jobs.delete(job)
    const added = this.#countTime(job.account, now)
    if (!this.#isSerial) return { duration: now - job.begun, added }
    const since = Math.max(job.begun, this.#lastEnd)
    this.#lastEnd = now
    const duration = oldest === job ? now - since : 0
    return { duration, added: duration }
  }

  /** Excludes the time until now from the durations of running jobs, because a serial database has spent it on other work. */
  excludeOtherWork(): void {
    this.#lastEnd = performance.now()
  }

  #countTime(account: string, now: number): number {
    const running = this.#accounts.get(account)
    if (!running) return 0
    const added = now - running.countedUntil
    running.countedUntil = now
    running.jobs -= 1
    if (running.jobs === 0) this.#accounts.delete(account)
    return added
  }
}
