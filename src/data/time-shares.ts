import { LRUCache } from 'lru-cache'

/** How much time an account may use while others are active, if it uses more than all others together. */
export type TimeLimits = {
  /** The part of the time that the account may use, between 0 and 1. */
  readonly share: number
  /** How many milliseconds more it may use for a while. */
  readonly burst: number
  /** The longest pause, in milliseconds. */
  readonly longestPause: number
}

/** The time constant with which past use fades, in milliseconds. */
const memory = 1_000

/** The number of accounts that are remembered. A forgotten one starts again. */
const maxAccounts = 1_000

/** The time that was used recently, in milliseconds, as of the time `at`. */
type Recent = { readonly recent: number; readonly at: number }

/** What an account has used, and how much of that exceeded its share. */
type Use = Recent & { readonly debt: number }

const unused: Use = { recent: 0, debt: 0, at: 0 }

/**
 * Limits how much time each account uses while others are active. What an account uses beyond its share is a debt. If it has also used
 * more than all others together, it pauses until its share has paid the debt off.
 */
export class TimeShares {
  readonly #limits: TimeLimits
  readonly #uses = new LRUCache<string, Use>({ max: maxAccounts })
  #all: Recent = unused

  constructor(limits: TimeLimits) {
    this.#limits = limits
  }

  /** Counts time that an account has used until now, in milliseconds. It adds to the account's debt only if others are active. */
  add(account: string, time: number, isAlone: boolean): void {
    const { burst, longestPause, share } = this.#limits
    const at = performance.now()
    const use = this.#uses.get(account) ?? unused
    const owed = this.#debtOf(use, at - time) + (isAlone ? 0 : time * (1 - share))
    this.#uses.set(account, { recent: fade(use, at) + time, debt: Math.min(owed, burst + longestPause * share), at })
    this.#all = { recent: fade(this.#all, at) + time, at }
  }

  /** Returns how many milliseconds an account has to pause, unless others become more active meanwhile. */
  pauseOf(account: string): number {
    return Math.max(0, this.#excessOf(account) - this.#limits.burst) / this.#limits.share
  }

  /** Returns whether an account has used so much of its burst that its jobs should run one after the other. */
  isShort(account: string): boolean {
    return this.#excessOf(account) > this.#limits.burst / 2
  }

  /** Returns the debt of an account, or 0 if all others together have used more time recently. */
  #excessOf(account: string): number {
    const now = performance.now()
    const use = this.#uses.get(account) ?? unused
    const recent = fade(use, now)
    return recent > fade(this.#all, now) - recent ? this.#debtOf(use, now) : 0
  }

  /** Returns what is left of a debt if its account was not served until this time. */
  #debtOf({ debt, at }: Use, now: number): number {
    return Math.max(0, debt - Math.max(0, now - at) * this.#limits.share)
  }
}

/** Returns how much of the recent use still counts. */
function fade({ recent, at }: Recent, now: number): number {
  return recent * Math.exp((at - now) / memory)
}
