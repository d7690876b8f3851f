import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import { type Job, RunningJobs } from './running-jobs.ts'
import { type TimeLimits, TimeShares } from './time-shares.ts'

/** The requester of a job: the account that it counts towards, and a signal that fires when the client is gone. */
export type Requester = { readonly account: string; readonly signal?: AbortSignal | undefined }

/** The limits of a `FairQueue`. Times are in milliseconds. */
export type QueueLimits = {
  /** The maximum number of jobs that run at once. */
  readonly atOnce: number
  /** The maximum for one account while no other account is active. */
  readonly atOnceAlone: number
  /** The maximum for one account while others are active or after its last job was slow. */
  readonly atOnceEach: number
  /** The minimum duration of a slow job. Without it, no job is slow. */
  readonly slow?: number
  /** Whether jobs run one after the other, so that the duration of a job excludes the time in which others ran. */
  readonly isSerial?: boolean
  /** How much time jobs of one account may take while others are active. Without it, that is not limited. */
  readonly time?: TimeLimits
  /** The maximum number of waiting jobs. */
  readonly waiting: number
  /** The maximum number of waiting jobs for one account. */
  readonly waitingEach: number
  /** The maximum waiting time of a job. */
  readonly waitTimeout: number
}

/** How long an account counts as active after a request, in milliseconds. */
const activity = 1_000

/** After how many milliseconds a pause is reconsidered, because it also ends when no other account is active any more. */
const longestSleep = 100

/** The time of an account's last request. */
type Active = { readonly account: string; readonly time: number }

const never: Active = { account: '', time: -activity }

type Waiter = { readonly start: (job: Job) => void; readonly refuse: (refusal: Refusal) => void }

/** The error for a job whose client is gone. */
export const clientIsGone = () => new Refusal('UNAVAILABLE', 'The client has disconnected.')

/** The error for a job that would wait, or has waited, for too long. */
export const tooBusy = () => new Refusal('UNAVAILABLE', 'The server is busy. Try again later.')

/**
 * Runs a limited number of jobs at once. Each account has a share, which is larger while no other is active, and a queue of its
 * own; the queues take turns. When too many jobs wait, the last job of the longest queue is refused.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #running: RunningJobs
  readonly #time: TimeShares | undefined
  /** The queues that are not empty, in the order of their turns. */
  readonly #queues = new Map<string, Set<Waiter>>()
  /** The accounts whose last job was slow. */
  readonly #slow = new LRUCache<string, true>({ max: 1_000 })
  /** The number of slots that no job occupies, but something else. */
  #occupied = 0
  #waiting = 0
  #sleep: { readonly end: number; readonly timer: NodeJS.Timeout } | undefined
  /** The most recently active account, and the one before it. */
  #active: Active = never
  #activeBefore: Active = never

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#running = new RunningJobs(limits.isSerial ?? false)
    this.#time = limits.time && new TimeShares(limits.time)
  }

  /** Runs the work when its turn comes. Throws `UNAVAILABLE` if the queue is full, the wait is too long, or the client disconnects. */
  async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    const { account } = requester
    const arrival = performance.now()
    this.#noteActive(account)
    const mayStart = !this.#queues.has(account) && this.#hasSlot() && this.#hasShare(account)
    const job = mayStart ? this.#running.start(account) : await this.#wait(account, requester.signal)
    try {
      return await work()
    } finally {
      this.#end(job, arrival)
    }
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

  /** Excludes the time until now from the durations of running jobs, because a serial database has spent it on other work. */
  excludeOtherWork(): void {
    this.#running.excludeOtherWork()
  }

  #noteActive(account: string): void {
    if (this.#active.account !== account) this.#activeBefore = this.#active
    this.#active = { account, time: performance.now() }
  }

  #hasSlot(): boolean {
    return this.#running.size + this.#occupied < this.#limits.atOnce
  }

  #hasShare(account: string): boolean {
    const isAlone = this.#isAlone(account)
    if (!isAlone && this.#pauseOf(account) > 0) return false
    return this.#running.of(account) < this.#shareOf(account, isAlone)
  }

  /** How many jobs of an account may run at once. */
  #shareOf(account: string, isAlone: boolean): number {
    const { atOnceAlone, atOnceEach } = this.#limits
    if (isAlone) return this.#slow.has(account) ? atOnceEach : atOnceAlone
    return this.#time?.isShort(account) ? 1 : atOnceEach
  }

  /** How many milliseconds an account has to pause while others are active. */
  #pauseOf(account: string): number {
    return this.#time?.pauseOf(account) ?? 0
  }

  #isAlone(account: string): boolean {
    if (this.#running.hasOther(account) || this.#queues.size > (this.#queues.has(account) ? 1 : 0)) return false
    const other = this.#active.account === account ? this.#activeBefore : this.#active
    return performance.now() - other.time > activity
  }

  #end(job: Job, arrival: number): void {
    const { account } = job
    const { duration, added } = this.#running.end(job)
    if (duration < (this.#limits.slow ?? Number.POSITIVE_INFINITY)) this.#slow.delete(account)
    else this.#slow.set(account, true)
    // In a serial queue, jobs that wait for a slow one would otherwise count as much as that.
    const spent = this.#limits.isSerial ? added : performance.now() - arrival
    this.#time?.add(account, { served: added, spent }, this.#isAlone(account))
    this.#startNext()
  }

  #startNext(): void {
    for (const [account, queue] of this.#queues) {
      if (!this.#hasSlot()) return
      if (!this.#hasShare(account)) {
        this.#sleepFor(this.#pauseOf(account))
        continue
      }
      const [first] = queue
      first?.start(this.#running.start(account))
      // Moves to the end for its next turn, which may come at once.
      if (this.#queues.delete(account) && queue.size > 0) this.#queues.set(account, queue)
    }
  }

  /** Starts jobs when a pause is over, unless a job that ends earlier does. */
  #sleepFor(pause: number): void {
    const time = Math.min(pause, longestSleep)
    const end = performance.now() + time
    if (pause === 0 || (this.#sleep && this.#sleep.end <= end)) return
    clearTimeout(this.#sleep?.timer)
    const wake = () => {
      this.#sleep = undefined
      this.#startNext()
    }
    this.#sleep = { end, timer: setTimeout(wake, time).unref() }
  }

  #wait(account: string, signal: AbortSignal | undefined): Promise<Job> {
    if (signal?.aborted) throw clientIsGone()
    const { waiting, waitingEach, waitTimeout } = this.#limits
    const queue = this.#queues.get(account) ?? new Set<Waiter>()
    if (queue.size >= waitingEach) throw tooBusy()
    if (this.#waiting >= waiting) this.#shorten(queue)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#waiting -= 1
        queue.delete(waiter)
        if (queue.size === 0) this.#queues.delete(account)
      }
      const waiter: Waiter = {
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
      this.#sleepFor(this.#pauseOf(account))
    })
  }

  /** Refuses the last job of the longest queue, or throws if that queue is the requester's own. */
  #shorten(own: Set<Waiter>): void {
    const longest = [...this.#queues.values()].reduce((one, other) => (other.size > one.size ? other : one), own)
    if (longest === own) throw tooBusy()
    ;[...longest].at(-1)?.refuse(tooBusy())
  }
}
