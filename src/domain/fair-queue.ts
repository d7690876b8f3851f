import { LRUCache } from 'lru-cache'
import type { Refusal } from '../errors.ts'

/** What is done at once and waits, in numbers, how long it waits, in milliseconds, and how the rest is refused. */
export type QueueLimits = {
  readonly atOnce: number
  readonly waiting: number
  readonly patience: number
  readonly refusal: () => Refusal
}

/** The two parties that a job counts for, say a client's address and the account that it names. */
export type Parties = readonly [string, string]

type Job = {
  readonly parties: Parties
  readonly since: number
  readonly start: () => void
  readonly refuse: () => void
}

/** How many parties the queue remembers. One that it forgot counts as new. */
const rememberedParties = 10_000

/**
 * Runs a few jobs at once while others wait for their turn. The next job is the one whose parties have been without a turn for
 * longest, so a party with many jobs waits behind everybody with few. When too many wait, the job that is last in turn is refused,
 * which may be an older one. A refusal counts as a turn, so asking again and again moves nobody forward.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #lastTurns = new LRUCache<string, number>({ max: rememberedParties })
  #waiting: readonly Job[] = []
  #running = 0
  #turns = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Does the work when its turn has come, and answers what it answers. Rejects with the refusal when too many wait. */
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
      if (this.#waiting.length > this.#limits.waiting) this.#take(this.#lastInTurn(job)).refuse()
    })
  }

  #startNext(): void {
    const tooLate = performance.now() - this.#limits.patience
    for (const job of this.#waiting) if (job.since < tooLate) this.#take(job).refuse()
    while (this.#running < this.#limits.atOnce) {
      const next = firstInTurn(this.#waiting, (party) => this.#lastTurnOf(party))
      if (!next) return
      this.#running += 1
      this.#take(next).start()
    }
  }

  /** Ends the wait of a job, which is a turn of its parties. */
  #take(job: Job): Job {
    this.#waiting = this.#waiting.filter((it) => it !== job)
    this.#turns += 1
    for (const party of job.parties) this.#lastTurns.set(party, this.#turns)
    return job
  }

  #lastTurnOf(party: string): number {
    return this.#lastTurns.peek(party) ?? 0
  }

  /** Which of the waiting jobs would be the last if nobody else came; `newest` where there is but that one. */
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

/** The job whose parties have been without a turn for longest. */
function firstInTurn(jobs: readonly Job[], lastTurnOf: (party: string) => number): Job | undefined {
  const ranked = jobs.map((job) => {
    const turns = job.parties.map(lastTurnOf)
    return { job, latest: Math.max(...turns), earliest: Math.min(...turns) }
  })
  // Of jobs that share a party the other one decides, and of equal ones the order of arrival.
  return ranked.toSorted((a, b) => a.latest - b.latest || a.earliest - b.earliest)[0]?.job
}
