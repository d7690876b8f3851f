import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'

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
  /**
   * Whether jobs run one after the other, so that a slow one delays everyone. Its account then pauses for as long as the
   * job took, while others are active.
   */
  readonly isSerial?: boolean
  /** The maximum number of waiting jobs. */
  readonly waiting: number
  /** The maximum number of waiting jobs for one account. */
  readonly waitingEach: number
  /** The maximum waiting time of a job. */
  readonly waitTimeout: number
}

/** How long an account counts as active after a request, in milliseconds. */
const activity = 1_000

/** The time of an account's last request. */
type Active = { readonly account: string; readonly time: number }

const never: Active = { account: '', time: -activity }

type Job = { readonly begun: number }

type Waiter = { readonly start: () => void; readonly refuse: (refusal: Refusal) => void }

const hasOther = (accounts: ReadonlyMap<string, unknown>, account: string) =>
  accounts.size > (accounts.has(account) ? 1 : 0)

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
  readonly #running = new Map<string, number>()
  /** The queues that are not empty, in the order of their turns. */
  readonly #queues = new Map<string, Set<Waiter>>()
  /** The accounts whose last job was slow, with the end of their pause. */
  readonly #slow = new LRUCache<string, number>({ max: 1_000 })
  /** The running jobs, oldest first. */
  readonly #jobs = new Set<Job>()
  #lastEnd = 0
  #busy = 0
  #waiting = 0
  /** The most recently active account, and the one before it. */
  #active: Active = never
  #activeBefore: Active = never

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Runs the work when its turn comes. Throws `UNAVAILABLE` if the queue is full, the wait is too long, or the client disconnects. */
  async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    const { account } = requester
    this.#noteActive(account)
    if (this.#busy < this.#limits.atOnce && this.#hasShare(account)) this.#start(account)
    else await this.#wait(account, requester.signal)
    const job = { begun: performance.now() }
    this.#jobs.add(job)
    try {
      return await work()
    } finally {
      this.#noteDuration(account, this.#durationOf(job))
      this.#end(account)
    }
  }

  /** Occupies one slot until the promise settles. */
  occupy(until: Promise<unknown>): void {
    this.#busy += 1
    const free = () => {
      this.#busy -= 1
      this.#startNext()
    }
    until.then(free, free)
  }

  /** Excludes the time until now from the durations of running jobs, because a serial database has spent it on other work. */
  excludeOtherWork(): void {
    this.#lastEnd = performance.now()
  }

  #noteActive(account: string): void {
    if (this.#active.account !== account) this.#activeBefore = this.#active
    this.#active = { account, time: performance.now() }
  }

  /** The duration of a job that has just ended. In a serial queue, it excludes the time spent waiting for other jobs. */
  #durationOf(job: Job): number {
    const now = performance.now()
    const [oldest] = this.#jobs
    this.#jobs.delete(job)
    if (!this.#limits.isSerial) return now - job.begun
    const since = Math.max(job.begun, this.#lastEnd)
    this.#lastEnd = now
    return oldest === job ? now - since : 0
  }

  #noteDuration(account: string, duration: number): void {
    const { slow = Number.POSITIVE_INFINITY, isSerial } = this.#limits
    if (duration < slow) {
      this.#slow.delete(account)
      return
    }
    const pauseEnd = performance.now() + duration
    this.#slow.set(account, pauseEnd)
    if (isSerial) this.#startNextAt(pauseEnd)
  }

  #startNextAt(time: number): void {
    const left = time - performance.now()
    // Timers use whole milliseconds, so one may fire slightly early.
    if (left > 0) setTimeout(() => this.#startNextAt(time), left + 1).unref()
    else this.#startNext()
  }

  #hasShare(account: string): boolean {
    const now = performance.now()
    const isAlone = this.#isAlone(account, now)
    const pauseEnd = this.#slow.get(account)
    if (this.#limits.isSerial && !isAlone && pauseEnd !== undefined && now < pauseEnd) return false
    const share = isAlone && pauseEnd === undefined ? this.#limits.atOnceAlone : this.#limits.atOnceEach
    return (this.#running.get(account) ?? 0) < share
  }

  #isAlone(account: string, now: number): boolean {
    if (hasOther(this.#running, account) || hasOther(this.#queues, account)) return false
    const other = this.#active.account === account ? this.#activeBefore : this.#active
    return now - other.time > activity
  }

  #start(account: string): void {
    this.#busy += 1
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1)
  }

  #end(account: string): void {
    this.#busy -= 1
    const left = (this.#running.get(account) ?? 0) - 1
    if (left > 0) this.#running.set(account, left)
    else this.#running.delete(account)
    this.#startNext()
  }

  #startNext(): void {
    for (const [account, queue] of this.#queues) {
      if (this.#busy >= this.#limits.atOnce) return
      if (!this.#hasShare(account)) continue
      this.#start(account)
      const [first] = queue
      first?.start()
      // Moves to the end for its next turn, which may come at once.
      if (this.#queues.delete(account) && queue.size > 0) this.#queues.set(account, queue)
    }
  }

  #wait(account: string, signal: AbortSignal | undefined): Promise<void> {
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
        start: () => {
          leave()
          resolve()
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
