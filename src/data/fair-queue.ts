import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'

/** Who asks for something: the account that it counts for, and a signal that fires when nobody waits for the answer any more. */
export type Requester = { readonly account: string; readonly signal?: AbortSignal | undefined }

/**
 * How much is done at once: in all, for one account while no other is active, and for one among others or whose last job was slow; how
 * many milliseconds make a job slow; how much waits, in all and of one account, and for how long, in milliseconds.
 */
export type QueueLimits = {
  readonly atOnce: number
  readonly atOnceAlone: number
  readonly atOnceEach: number
  readonly slow: number
  readonly waiting: number
  readonly waitingEach: number
  readonly patience: number
}

/** How long after it asked for something an account is active, in milliseconds. */
const activity = 1_000

/** When an account last asked for something. */
type Active = { readonly account: string; readonly time: number }

const never: Active = { account: '', time: -activity }

type Waiter = { readonly start: () => void; readonly refuse: (refusal: Refusal) => void }

/** The refusal of what nobody waits for any more. */
export const clientIsGone = () => new Refusal('UNAVAILABLE', 'The client has disconnected.')

const tooBusy = () => new Refusal('UNAVAILABLE', 'The database is busy: try again later.')

/**
 * Lets a few jobs run at once. Each account has a share of these places, which is larger while no other is active, and a line of its
 * own for what waits; the lines take turns. When too much waits in all, the last job of the longest line is refused.
 */
export class FairQueue {
  readonly #limits: QueueLimits
  readonly #running = new Map<string, number>()
  /** The lines that are not empty, the one whose turn is next first. */
  readonly #lines = new Map<string, Set<Waiter>>()
  /** The accounts whose last job was slow. */
  readonly #slow = new LRUCache<string, true>({ max: 1_000 })
  #busy = 0
  #waiting = 0
  /** Who was active last, and who was before, other than that. */
  #active: Active = never
  #activeBefore: Active = never

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Does the work when its turn has come. Throws `UNAVAILABLE` when too much waits, for too long, or when the client is gone. */
  async run<T>({ account, signal }: Requester, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw clientIsGone()
    this.#noteActive(account)
    if (this.#busy < this.#limits.atOnce && this.#hasShare(account)) this.#start(account)
    else await this.#wait(account, signal)
    const begun = performance.now()
    try {
      return await work()
    } finally {
      this.#noteDuration(account, performance.now() - begun)
      this.#end(account)
    }
  }

  /** Takes one of the places until the promise is settled. */
  occupy(until: Promise<unknown>): void {
    this.#busy += 1
    const free = () => {
      this.#busy -= 1
      this.#startNext()
    }
    until.then(free, free)
  }

  #noteActive(account: string): void {
    if (this.#active.account !== account) this.#activeBefore = this.#active
    this.#active = { account, time: performance.now() }
  }

  #noteDuration(account: string, duration: number): void {
    if (duration >= this.#limits.slow) this.#slow.set(account, true)
    else this.#slow.delete(account)
  }

  #hasShare(account: string): boolean {
    const other = this.#active.account === account ? this.#activeBefore : this.#active
    const isAlone = performance.now() - other.time > activity
    const share = isAlone && !this.#slow.has(account) ? this.#limits.atOnceAlone : this.#limits.atOnceEach
    return (this.#running.get(account) ?? 0) < share
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
    for (const [account, line] of this.#lines) {
      if (this.#busy >= this.#limits.atOnce) return
      if (!this.#hasShare(account)) continue
      this.#start(account)
      const [first] = line
      first?.start()
      // Behind the others, for its next turn, which may come at once.
      if (this.#lines.delete(account) && line.size > 0) this.#lines.set(account, line)
    }
  }

  #wait(account: string, signal: AbortSignal | undefined): Promise<void> {
    const { waiting, waitingEach, patience } = this.#limits
    const line = this.#lines.get(account) ?? new Set<Waiter>()
    if (line.size >= waitingEach) throw tooBusy()
    if (this.#waiting >= waiting) this.#shorten(line)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#waiting -= 1
        line.delete(waiter)
        if (line.size === 0) this.#lines.delete(account)
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
      const timer = setTimeout(() => waiter.refuse(tooBusy()), patience)
      const onAbort = () => waiter.refuse(clientIsGone())
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting += 1
      this.#lines.set(account, line.add(waiter))
    })
  }

  /** Refuses the last of the longest line, or throws where that is the one of who asks. */
  #shorten(own: Set<Waiter>): void {
    const longest = [...this.#lines.values()].reduce((one, other) => (other.size > one.size ? other : one), own)
    if (longest === own) throw tooBusy()
    ;[...longest].at(-1)?.refuse(tooBusy())
  }
}
