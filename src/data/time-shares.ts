import { LRUCache } from 'lru-cache'

/** How much time an account may use while others are active, if it uses more than all others together. */
export type TimeLimits = {
  /** The part of the time that the account may use, between 0 and 1. */
  readonly share: number
  /** How many milliseconds it may use beyond its share before it pauses. */
  readonly burst: number
  /** The longest pause, in milliseconds. */
  readonly longestPause: number
  /**
   * Limits of the jobs in progress, by which accounts are compared. Without them, accounts are compared by the time that they are served,
   * because the jobs of a serial queue all wait for the slowest.
   */
  readonly inProgress?: JobLimits
}

/** How many jobs an account may have in progress. */
export type JobLimits = {
  /** How many it may have without being restricted. */
  readonly unlimited: number
  /**
   * How long a job may wait, in milliseconds. When one has waited longer, its account no longer pauses until it is unrestricted. Otherwise
   * an account that is busy but does not flood could never catch up after a delay.
   */
  readonly longestWait: number
  /** The maximum number of jobs that then run side by side again, to catch up. */
  readonly catchUp: number
}

/** How long an account must pause, in milliseconds, and whether its jobs run one at a time. */
export type Restriction = { readonly pause: number; readonly runsOneAtATime: boolean }

/** No restriction. */
export const unrestricted: Restriction = { pause: 0, runsOneAtATime: false }

/** The time constant with which past use fades, in milliseconds. */
const memory = 1_000

/** The maximum number of accounts to remember. A forgotten account starts without debt. */
const maxAccounts = 1_000

/**
 * Recent times in milliseconds, as of the time `at`: `served` is how long at least one job of an account ran, and `spent` is the total of
 * its jobs from their arrival until they end. `jobs` is how many are in progress.
 */
type Recent = { readonly served: number; readonly spent: number; readonly jobs: number; readonly at: number }

/** The recent times of an account, and how much of the served time exceeded its share. */
type Use = Recent & { readonly debt: number; readonly owedAt: number }

const unused: Use = { served: 0, spent: 0, jobs: 0, debt: 0, owedAt: 0, at: 0 }

/**
 * Limits how much of the time each account is served while others are active. Time beyond its share is a debt. An account whose debt
 * exceeds the burst pauses until it no longer does, but only if it has many jobs in progress and recently had more than all others
 * together: a slow database prolongs the jobs of everybody, but only an account that sends too many has many waiting.
 */
export class TimeShares {
  readonly #limits: TimeLimits
  readonly #uses = new LRUCache<string, Use>({ max: maxAccounts })
  #all: Recent = unused

  constructor(limits: TimeLimits) {
    this.#limits = limits
  }

  /** Notes that a job of an account has arrived. */
  enter(account: string): void {
    this.#change(account, { jobs: 1 })
  }

  /** Notes that a job of an account has ended, or will never run. */
  leave(account: string): void {
    this.#change(account, { jobs: -1 })
  }

  /** Counts time that an account was served until now. It adds to the debt of the account only if others are active. */
  add(account: string, served: number, isAlone: boolean): void {
    const { burst, longestPause, share } = this.#limits
    const use = this.#change(account, { served })
    const now = performance.now()
    const owed = debtOf(use, now - served, share) + (isAlone ? 0 : served * (1 - share))
    this.#uses.set(account, { ...use, debt: Math.min(owed, burst + longestPause * share), owedAt: now })
  }

  /**
   * Returns how an account is restricted. Its pause may end earlier if others become more active. `uncounted` is how long its running jobs
   * have been served.
   */
  restrictionOf(account: string, uncounted = 0): Restriction {
    const { burst, share } = this.#limits
    const now = performance.now()
    const use = this.#uses.get(account) ?? unused
    const debt = debtOf(use, now - uncounted, share) + uncounted * (1 - share)
    if (debt <= burst / 2 || !this.#usesMost(use, now)) return unrestricted
    return { pause: Math.max(0, debt - burst) / share, runsOneAtATime: true }
  }

  /** Returns how many jobs of an account are in progress. */
  jobsOf(account: string): number {
    return this.#uses.get(account)?.jobs ?? 0
  }

  /** Returns whether an account recently used more than all others together, and has many jobs in progress. */
  #usesMost(use: Use, now: number): boolean {
    const { inProgress } = this.#limits
    const [own, all] = [fade(use, now), fade(this.#all, now)]
    if (inProgress === undefined) return own.served > all.served - own.served
    return use.jobs > inProgress.unlimited && own.spent > all.spent - own.spent
  }

  #change(account: string, change: { readonly jobs?: number; readonly served?: number }): Use {
    const now = performance.now()
    const use = this.#uses.get(account) ?? unused
    const changed = { ...use, ...after(use, now, change) }
    this.#uses.set(account, changed)
    this.#all = after(this.#all, now, change)
    return changed
  }
}

/** Returns what is left of a debt if its account was idle until this time. */
function debtOf({ debt, owedAt }: Use, until: number, share: number): number {
  return Math.max(0, debt - Math.max(0, until - owedAt) * share)
}

/** Returns recent times as of another time. The jobs in progress have spent all the time between. */
function fade({ served, spent, jobs, at }: Recent, now: number): Recent {
  const part = Math.exp((at - now) / memory)
  return { served: served * part, spent: spent * part + jobs * memory * (1 - part), jobs, at: now }
}

function after(recent: Recent, now: number, { jobs = 0, served = 0 }: { jobs?: number; served?: number }): Recent {
  const faded = fade(recent, now)
  return { ...faded, served: faded.served + served, jobs: Math.max(0, faded.jobs + jobs) }
}
