import { LRUCache } from 'lru-cache'
import type { Refusal } from '../../engine/errors.ts'

/** How many jobs run at once, how many may wait, for how many milliseconds, and the error of those that are refused. */
type QueueLimits = {
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
 * party with many jobs waits behind parties with few. When too many jobs wait, one of the party with the most jobs is refused, which may be
 * an older one. A refusal counts as a turn, so retrying brings no advantage.
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
      this.#waiting = [...this.#waiting, { parties, since: performance.now(), start, refuse }]
      this.#startNext()
      if (this.#waiting.length > this.#limits.maxWaiting) this.#take(this.#mostCrowded())?.refuse()
    })
  }

  #startNext(): void {
    const tooLate = performance.now() - this.#limits.timeout
    for (const job of this.#waiting) if (job.since < tooLate) this.#take(job)?.refuse()
    while (this.#running < this.#limits.atOnce && this.#waiting.length > 0) {
      this.#running += 1
      this.#take(this.#inOrder()[0])?.start()
    }
  }

  /** Removes a job from the queue, which counts as a turn of its parties. */
  #take(job: Job | undefined): Job | undefined {
    this.#waiting = this.#waiting.filter((it) => it !== job)
    this.#turns += 1
    for (const party of job?.parties ?? []) this.#lastTurns.set(party, this.#turns)
    return job
  }

  /** The waiting jobs, those first whose parties have waited longest since their last turn. */
  #inOrder(): readonly Job[] {
    const ranked = this.#waiting.map((job) => {
      const turns = job.parties.map((party) => this.#lastTurns.peek(party) ?? 0)
      return { job, latest: Math.max(...turns), earliest: Math.min(...turns) }
    })
    // Between jobs that share a party the other party decides, then the order of arrival.
    ranked.sort((a, b) => a.latest - b.latest || a.earliest - b.earliest)
    return ranked.map(({ job }) => job)
  }

  /** The last of the jobs of the parties with the most jobs. */
  #mostCrowded(): Job | undefined {
    const jobsOf = (party: string) => this.#waiting.filter(({ parties }) => parties.includes(party)).length
    const crowds = this.#inOrder().map((job) => ({ job, size: Math.max(...job.parties.map(jobsOf)) }))
    const largest = Math.max(...crowds.map(({ size }) => size))
    return crowds.findLast(({ size }) => size === largest)?.job
  }
}
