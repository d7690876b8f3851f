import { LRUCache } from 'lru-cache'
import type { Refusal } from '../errors.ts'
import { Activity } from './activity.ts'
import { clientIsGone, type Requester, tooBusy } from './requester.ts'
import { type Job, RunningJobs } from './running-jobs.ts'
import { type TimeLimits, TimeShares, type Use, unrestricted } from './time-shares.ts'

/** The limits of a `FairQueue`. Times are in milliseconds. */
export type QueueLimits = {
  /** The maximum number of jobs that run at once. */
  readonly atOnce: number
  /** The maximum for one account while no other account is active. */
  readonly atOnceAlone: number
  /** The maximum for one account while others are active or after its last job was slow. An account that `time` restricts runs one job at a time. */
  readonly atOnceEach: number
  /** The minimum duration of a slow job. Without it, no job is slow. */
  readonly slow?: number
  /** Whether jobs run one after the other, so that the duration of a job excludes the time in which others ran. */
  readonly isSerial?: boolean
  /** How much time the jobs of one account may take while others are active. Without it, their time is not limited. */
  readonly time?: TimeLimits
  /** Whether the accounts whose jobs recently took the least time come first, instead of all in turn. Needs `time`. */
  readonly leastServedFirst?: boolean
  /** The maximum number of waiting jobs. */
  readonly waiting: number
  /** The maximum number of waiting jobs for one account. */
  readonly waitingEach: number
  /** The maximum waiting time of a job. */
  readonly waitTimeout: number
}

/** The longest time between checks of the shares of waiting accounts, in milliseconds. Shares grow when no other account is active any more. */
const longestSleep = 100

type Waiter = {
  readonly since: number
  readonly start: (job: Job) => void
  readonly refuse: (refusal: Refusal) => void
}

/**
 * Runs a limited number of jobs at once. Each account has a share, which is larger while no other is active, and a queue of its
 * own; the queues take turns. An account that uses too much time pauses. When too many jobs wait, the last job of the longest queue is
 * refused.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #running: RunningJobs
  readonly #time: TimeShares | undefined
  readonly #activity = new Activity()
  /** The queues that are not empty, in the order of their turns. */
  readonly #queues = new Map<string, Set<Waiter>>()
  /** The accounts that do not pause, because one of their jobs has waited for too long. */
  readonly #overdue = new Set<string>()
  /** The accounts whose last job was slow. */
  readonly #slow = new LRUCache<string, true>({ max: 1_000 })
  /** The number of slots occupied by something other than a job. */
  #occupied = 0
  #waiting = 0
  #alarm: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#running = new RunningJobs(limits.isSerial ?? false)
    this.#time = limits.time && new TimeShares(limits.time)
  }

  /**
   * Runs the work when its turn comes. Throws `UNAVAILABLE` if the queue is full, the wait is too long, or the client disconnects.
   * `waitTimeout` replaces that of the limits, in milliseconds.
   */
  async run<T>(requester: Requester, work: () => Promise<T>, waitTimeout = this.#limits.waitTimeout): Promise<T> {
    const { account } = requester
    this.noteActive(account)
    const use = this.#time?.enter(account)
    let job: Job | undefined
    try {
      job = this.#mayStart(account) ? this.#running.start(account) : await this.#wait(requester, waitTimeout)
      return await work()
    } finally {
      if (job) this.#end(job, use)
      else if (use) this.#time?.leave(use)
    }
  }

  /** Begins a job if it need not wait, and returns a function that ends it. */
  tryStart(account: string): (() => void) | undefined {
    if (!this.#mayStart(account)) return undefined
    this.noteActive(account)
    const use = this.#time?.enter(account)
    const job = this.#running.start(account)
    return () => this.#end(job, use)
  }

  #mayStart(account: string): boolean {
    return !this.#queues.has(account) && this.#hasSlot() && this.#hasShare(account)
  }

  /** Occupies one slot until the promise settles. */
  occupy(until: Promise<unknown>): void {
    this.#occupied += 1
    const free = () => {
      this.#occupied -= 1
      this.#startNext()
    }
    until.then(free, free)
  }

  /** Excludes the time until now from the durations of running jobs. See `RunningJobs`. */
  excludeOtherWork(): void {
    this.#running.excludeOtherWork()
  }

  /** Notes that an account is active although its work does not pass through this queue. */
  noteActive(account: string): void {
    this.#activity.note(account)
  }

  #hasSlot(): boolean {
    return this.#running.size + this.#occupied < this.#limits.atOnce
  }

  /** Returns whether the share of an account has room for a job. If not, checks again later, because time alone can make room. */
  #hasShare(account: string): boolean {
    const { atOnce, pause } = this.#shareOf(account)
    if (pause === 0 && this.#running.of(account) < atOnce) return true
    this.#wakeAfter(pause || longestSleep)
    return false
  }

  /** Returns how many jobs of an account may run at once, and how long it must pause first, in milliseconds. */
  #shareOf(account: string): { readonly atOnce: number; readonly pause: number } {
    const { atOnceAlone, atOnceEach } = this.#limits
    if (this.#isAlone(account)) return { atOnce: this.#slow.has(account) ? atOnceEach : atOnceAlone, pause: 0 }
    const { pause, runsOneAtATime } =
      this.#time?.restrictionOf(account, this.#running.uncounted(account)) ?? unrestricted
    if (!runsOneAtATime) this.#overdue.delete(account)
    if (!runsOneAtATime || this.#catchesUp(account)) return { atOnce: atOnceEach, pause: 0 }
    return { atOnce: 1, pause: this.#overdue.has(account) ? 0 : pause }
  }

  /** Notes whether a job of an account has waited for too long, and returns whether its jobs may run side by side again to catch up. */
  #catchesUp(account: string): boolean {
    const limits = this.#limits.time?.inProgress
    if (!limits) return false
    const [first] = this.#queues.get(account) ?? []
    if (first && performance.now() - first.since >= limits.longestWait) this.#overdue.add(account)
    return this.#overdue.has(account) && (this.#time?.jobsOf(account) ?? 0) <= limits.catchUp
  }

  #isAlone(account: string): boolean {
    if (this.#running.hasOther(account) || this.#queues.size > (this.#queues.has(account) ? 1 : 0)) return false
    return !this.#activity.hasOther(account)
  }

  #end(job: Job, use: Use | undefined): void {
    const { account } = job
    const { duration, added } = this.#running.end(job)
    if (duration < (this.#limits.slow ?? Number.POSITIVE_INFINITY)) this.#slow.delete(account)
    else this.#slow.set(account, true)
    if (use) this.#time?.end(use, added, this.#isAlone(account))
    this.#startNext()
  }

  #startNext(): void {
    for (const [account, queue] of this.#inOrder()) {
      if (!this.#hasSlot()) return
      if (!this.#hasShare(account)) continue
      const [first] = queue
      first?.start(this.#running.start(account))
      // Moves to the end for its next turn, which may come at once.
      if (this.#queues.delete(account) && queue.size > 0) this.#queues.set(account, queue)
    }
  }

  /** The queues in the order of their turns. */
  #inOrder(): Iterable<readonly [string, Set<Waiter>]> {
    const time = this.#time
    if (!this.#limits.leastServedFirst || !time) return this.#queues
    const served = new Map([...this.#queues.keys()].map((account) => [account, time.servedOf(account)]))
    return [...this.#queues].sort(([one], [other]) => (served.get(one) ?? 0) - (served.get(other) ?? 0))
  }

  /** Checks for jobs that may start after this many milliseconds, or after `longestSleep` if that is less. */
  #wakeAfter(time: number): void {
    const at = performance.now() + Math.min(time, longestSleep)
    if (this.#alarm && this.#alarm.at <= at) return
    clearTimeout(this.#alarm?.timer)
    const wake = () => {
      this.#alarm = undefined
      this.#startNext()
    }
    this.#alarm = { at, timer: setTimeout(wake, Math.min(time, longestSleep)).unref() }
  }

  #wait({ account, signal }: Requester, waitTimeout: number): Promise<Job> {
    if (signal?.aborted) throw clientIsGone()
    const { waiting, waitingEach } = this.#limits
    const queue = this.#queues.get(account) ?? new Set<Waiter>()
    if (queue.size >= waitingEach) throw tooBusy()
    if (this.#waiting >= waiting) this.#shorten(queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#waiting -= 1
        queue.delete(waiter)
        if (queue.size > 0) return
        this.#queues.delete(account)
        this.#overdue.delete(account)
      }
      const waiter: Waiter = {
        since: performance.now(),
        start: (job) => {
          leave()
          resolve(job)
        },
        refuse: (refusal) => {
          leave()
          reject(refusal)
        },
      }
      const timer = setTimeout(() => waiter.refuse(tooBusy()), waitTimeout)
      const onAbort = () => waiter.refuse(clientIsGone())
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting += 1
      this.#queues.set(account, queue.add(waiter))
    })
  }

  /** Refuses the last job of the longest queue, or throws if that queue is the requester's own. */
  #shorten(own: Set<Waiter>): void {
    const longest = [...this.#queues.values()].reduce((one, other) => (other.size > one.size ? other : one), own)
    if (longest === own) throw tooBusy()
    ;[...longest].at(-1)?.refuse(tooBusy())
  }
}
