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

/**
 * Time in milliseconds: `served` is that in which at least one job of an account ran, and `spent` is the sum of what each of its jobs took
 * from its arrival to its end.
 */
type Time = { readonly served: number; readonly spent: number }

/** Time of the recent past, as of the time `at`. */
type Recent = Time & { readonly at: number }

/** The recent time of an account, and how much of it exceeded its share. */
type Use = Recent & { readonly debt: number }

const unused: Use = { served: 0, spent: 0, debt: 0, at: 0 }

/**
 * Limits for how much of the time each account is served while others are active. Time beyond its share is a debt. If the account has
 * also used more than all others together, it pauses until its share has paid the debt off. Both kinds of time have to be more: a
 * slow database prolongs the jobs of everybody, but only an account that sends too many has many waiting.
 */
export class TimeShares {
  readonly #limits: TimeLimits
  readonly #uses = new LRUCache<string, Use>({ max: maxAccounts })
  #all: Recent = unused

  constructor(limits: TimeLimits) {
    this.#limits = limits
  }

  /** Counts the time of a job that has just ended. It adds to the debt of its account only if others are active. */
  add(account: string, time: Time, isAlone: boolean): void {
    const { burst, longestPause, share } = this.#limits
    const at = performance.now()
    const use = this.#uses.get(account) ?? unused
    const owed = this.#debtOf(use, at - time.served) + (isAlone ? 0 : time.served * (1 - share))
    this.#uses.set(account, { ...sum(use, time, at), debt: Math.min(owed, burst + longestPause * share) })
    this.#all = sum(this.#all, time, at)
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
    const [own, all] = [fade(use, now), fade(this.#all, now)]
    const isMost = own.served > all.served - own.served && own.spent > all.spent - own.spent
    return isMost ? this.#debtOf(use, now) : 0
  }

  /** Returns what is left of a debt if its account was not served until this time. */
  #debtOf({ debt, at }: Use, now: number): number {
    return Math.max(0, debt - Math.max(0, now - at) * this.#limits.share)
  }
}

/** Returns how much of the recent time still counts. */
function fade({ served, spent, at }: Recent, now: number): Time {
  const part = Math.exp((at - now) / memory)
  return { served: served * part, spent: spent * part }
}

function sum(recent: Recent, time: Time, at: number): Recent {
  const { served, spent } = fade(recent, at)
  return { served: served + time.served, spent: spent + time.spent, at }
}
