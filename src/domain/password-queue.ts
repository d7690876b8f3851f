import { LRUCache } from 'lru-cache'
import type { Refusal } from '../errors.ts'

/** How many jobs run at once, how many may wait, for how many milliseconds, and the error of those that are refused. */
export type QueueLimits = {
  readonly atOnce: number
  readonly maxWaiting: number
  readonly timeout: number
  readonly refusal: () => Refusal
}

/** The two parties that a job counts for, such as the address of a client and the account that it names. */
export type Parties = readonly [string, string]

type Job = {
  readonly parties: Parties
  readonly since: number
  readonly start: () => void
  readonly refuse: () => void
}

/** How many parties the queue remembers. A forgotten party counts as new. */
const rememberedParties = 10_000

/**
 * Runs a few password checks at once while others wait. The next job is the one whose parties have waited longest since their last turn, so a
 * party with many jobs waits behind parties with few. When too many jobs wait, the one that is last in turn is refused, which may
 * be an older one. A refusal counts as a turn, so retrying brings no advantage.
 */
export class PasswordQueue {
  readonly #limits: QueueLimits
  readonly #lastTurns = new LRUCache<string, number>({ max: rememberedParties })
  #waiting: readonly Job[] = []
  #running = 0
  #turns = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Runs the work when its turn comes, and returns its result. Rejects with the refusal when too many jobs wait. */
  run<T>(parties: Parties, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        } finally {
          this.#running -= 1
          this.#startNext()
        }
      }
      const refuse = () => reject(this.#limits.refusal())
      const job = { parties, since: performance.now(), start, refuse }
      this.#waiting = [...this.#waiting, job]
      this.#startNext()
      if (this.#waiting.length > this.#limits.maxWaiting) this.#take(this.#lastInTurn(job)).refuse()
    })
  }

  #startNext(): void {
    const tooLate = performance.now() - this.#limits.timeout
    for (const job of this.#waiting) if (job.since < tooLate) this.#take(job).refuse()
    while (this.#running < this.#limits.atOnce) {
      const next = firstInTurn(this.#waiting, (party) => this.#lastTurnOf(party))
      if (!next) return
      this.#running += 1
      this.#take(next).start()
    }
  }

  /** Removes a job from the queue, which counts as a turn of its parties. */
  #take(job: Job): Job {
    this.#waiting = this.#waiting.filter((it) => it !== job)
    this.#turns += 1
    for (const party of job.parties) this.#lastTurns.set(party, this.#turns)
    return job
  }

  #lastTurnOf(party: string): number {
    return this.#lastTurns.peek(party) ?? 0
  }

  /** The waiting job that would run last if no others came; `newest` if it is the only one. */
  #lastInTurn(newest: Job): Job {
    const turns = new Map<string, number>()
    let [left, last, turn] = [this.#waiting, newest, this.#turns]
    for (;;) {
      const next = firstInTurn(left, (party) => turns.get(party) ?? this.#lastTurnOf(party))
      if (!next) return last
      last = next
      turn += 1
      for (const party of next.parties) turns.set(party, turn)
      left = left.filter((job) => job !== next)
    }
  }
}

/** The job whose parties have waited longest since their last turn. */
function firstInTurn(jobs: readonly Job[], lastTurnOf: (party: string) => number): Job | undefined {
  const ranked = jobs.map((job) => {
    const turns = job.parties.map(lastTurnOf)
    return { job, latest: Math.max(...turns), earliest: Math.min(...turns) }
  })
  // Between jobs that share a party the other party decides, then the order of arrival.
  return ranked.toSorted((a, b) => a.latest - b.latest || a.earliest - b.earliest)[0]?.job
}
