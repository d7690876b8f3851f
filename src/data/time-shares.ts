import { LRUCache } from 'lru-cache'

/** How much time an account may use while others are active, if it has more jobs in progress than all others together. */
export type TimeLimits = {
  /** The part of the time that the account may use, between 0 and 1. */
  readonly share: number
  /** How many milliseconds it may use beyond its share before it pauses. */
  readonly burst: number
  /** The longest pause, in milliseconds. */
  readonly longestPause: number
  /** How many jobs, on average, an account may have in progress without ever pausing. */
  readonly unlimited: number
}

/**
 * How an account is restricted: how many milliseconds it has to pause, and whether its jobs run one at a time, as they do when it has
 * used more than half of its burst.
 */
export type Restriction = { readonly pause: number; readonly runsOneAtATime: boolean }

/** The restriction of an account that has used little of its burst, or has few jobs in progress. */
export const unrestricted: Restriction = { pause: 0, runsOneAtATime: false }

/** The time constant with which past use fades, in milliseconds. */
const memory = 1_000

/** The number of accounts that are remembered. A forgotten one starts again. */
const maxAccounts = 1_000

/**
 * Times in milliseconds: `served` is how long at least one job of the account ran, and `spent` is the total of its jobs from arrival to end.
 * In a serial queue, both are the time that its jobs ran.
 */
type Time = { readonly served: number; readonly spent: number }

/** Time of the recent past, as of the time `at`. */
type Recent = Time & { readonly at: number }

/** The recent time of an account, and how much of it exceeded its share. */
type Use = Recent & { readonly debt: number }

const unused: Use = { served: 0, spent: 0, debt: 0, at: 0 }

/**
 * Limits how much of the time each account is served while others are active. Time beyond its share is a debt. An account whose debt
 * exceeds the burst pauses until it no longer does, but only if the `spent` time of its jobs exceeds that of all others together and shows
 * that it has many in progress: a slow database prolongs the jobs of everybody, but only an account that sends too many has many waiting.
 */
export class TimeShares {
  readonly #limits: TimeLimits
  readonly #uses = new LRUCache<string, Use>({ max: maxAccounts })
  #all: Recent = unused

  constructor(limits: TimeLimits) {
    this.#limits = limits
  }

  /** Counts the time of a job that has just ended. It adds to the debt of its account only if others are active then. */
  add(account: string, time: Time, isAlone: boolean): void {
    const { burst, longestPause, share } = this.#limits
    const at = performance.now()
    const use = this.#uses.get(account) ?? unused
    const owed = this.#debtOf(use, at - time.served) + (isAlone ? 0 : time.served * (1 - share))
    this.#uses.set(account, { ...sum(use, time, at), debt: Math.min(owed, burst + longestPause * share) })
    this.#all = sum(this.#all, time, at)
  }

  /**
   * Returns how an account is restricted now, unless others become more active. `uncounted` is how long its running jobs have been served.
   */
  restrictionOf(account: string, uncounted = 0): Restriction {
    const { burst, share } = this.#limits
    const now = performance.now()
    const use = this.#uses.get(account) ?? unused
    const debt = this.#debtOf(use, now - uncounted) + uncounted * (1 - share)
    if (debt <= burst / 2 || !this.#hasMostInProgress(use, now)) return unrestricted
    return { pause: Math.max(0, debt - burst) / share, runsOneAtATime: true }
  }

  /** Returns whether an account recently had more jobs in progress than all others together, and too many. */
  #hasMostInProgress(use: Use, now: number): boolean {
    const [own, all] = [fade(use, now), fade(this.#all, now)]
    return own.spent > all.spent - own.spent && own.spent > this.#limits.unlimited * own.served
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
