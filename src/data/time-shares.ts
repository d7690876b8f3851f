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
  /** An account with more than this many, now and on average, is busy. No account is restricted while another busy account ends more jobs. */
  readonly busy: number
  /**
   * How long a job may wait, in milliseconds. When one has waited longer, its account no longer pauses until no job waits or it is
   * unrestricted. Otherwise an account that is busy but does not flood could never catch up after a delay.
   */
  readonly longestWait: number
  /** The maximum number of jobs in progress with which they then run side by side again. */
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

/** For how long the jobs in progress may still become more after a restriction begins, in milliseconds. */
const settling = 250

/** For how long a restriction is lifted before the account must have fewer jobs in progress, in milliseconds. */
const relief = 1_000

/** The jobs in progress of an account, or of all accounts together, and recent times, in milliseconds, which fade. */
class RecentUse {
  /** How many jobs are in progress. */
  jobs = 0
  /** How long at least one job of the account ran; for all accounts, the sum of theirs. */
  served = 0
  /** The total time of the jobs from their arrival until they end. */
  spent = 0
  /** How many jobs of the account have ended. */
  ended = 0
  #at = 0

  /** Updates the times. The jobs in progress have spent all the time since the last update. */
  fade(now: number): void {
    const part = Math.exp((this.#at - now) / memory)
    this.served *= part
    this.spent = this.spent * part + this.jobs * memory * (1 - part)
    this.ended *= part
    this.#at = now
  }
}

/** What an account uses, and how much of its served time exceeded its share. */
export class Use extends RecentUse {
  /** The jobs in progress when its restriction began, or was lifted because it had fallen behind. Undefined while it is not restricted. */
  backlog: { jobs: number; readonly since: number; readonly isRelieved: boolean } | undefined
  #debt = 0
  #owedAt = 0

  /** Returns what is left of the debt if the account was idle until this time. */
  debt(until: number, share: number): number {
    return Math.max(0, this.#debt - Math.max(0, until - this.#owedAt) * share)
  }

  setDebt(debt: number, now: number): void {
    this.#debt = debt
    this.#owedAt = now
  }
}

/**
 * Limits how much of the time each account is served while others are active. Time beyond its share is a debt. An account whose debt
 * exceeds the burst pauses until it no longer does, but only if it has many jobs in progress and recently had more than all others
 * together: a slow database prolongs the jobs of everybody, but only an account that sends too many has many waiting. It does not pause
 * while another busy account ends more jobs, because then it is no flood, but has fallen behind.
 */
export class TimeShares {
  readonly #limits: TimeLimits
  readonly #uses = new LRUCache<string, Use>({ max: maxAccounts, memoMethod: () => new Use() })
  readonly #all = new RecentUse()
  /** The accounts that have so many jobs in progress that they may be busy. */
  readonly #busy = new Set<Use>()

  constructor(limits: TimeLimits) {
    this.#limits = limits
  }

  /** Notes that a job of an account has arrived. Pass the result to `leave` or `end`, also if the account is forgotten in the meantime. */
  enter(account: string): Use {
    const use = this.#uses.memo(account)
    this.#change(use, performance.now(), 1, 0)
    return use
  }

  /** Notes that a job will never run. */
  leave(use: Use): void {
    this.#change(use, performance.now(), -1, 0)
  }

  /**
   * Notes that a job has ended, and by how much it prolonged the time that its account was served until now. This time adds to the debt of
   * the account only if others are active.
   */
  end(use: Use, served: number, isAlone: boolean): void {
    const { burst, longestPause, share } = this.#limits
    const now = performance.now()
    this.#change(use, now, -1, served)
    use.ended += 1
    const debt = use.debt(now - served, share) + (isAlone ? 0 : served * (1 - share))
    use.setDebt(Math.min(debt, burst + longestPause * share), now)
  }

  /**
   * Returns how an account is restricted. Its pause may end earlier if others become more active. `uncounted` is how long its running jobs
   * have been served.
   */
  restrictionOf(account: string, uncounted = 0): Restriction {
    const { burst, inProgress, share } = this.#limits
    const use = this.#uses.get(account)
    if (use === undefined) return unrestricted
    const now = performance.now()
    const debt = use.debt(now - uncounted, share) + uncounted * (1 - share)
    if (debt <= burst / 2 || !this.#usesMost(use, now)) {
      use.backlog = undefined
      return unrestricted
    }
    if (inProgress && this.#fallsBehind(use, inProgress, now)) return unrestricted
    return { pause: Math.max(0, debt - burst) / share, runsOneAtATime: true }
  }

  /** Returns how long an account was recently served, in milliseconds. */
  servedOf(account: string): number {
    const use = this.#uses.get(account)
    use?.fade(performance.now())
    return use?.served ?? 0
  }

  /** Returns how many jobs of an account are in progress. */
  jobsOf(account: string): number {
    return this.#uses.get(account)?.jobs ?? 0
  }

  /** Returns whether an account recently used more than all others together, and has many jobs in progress. */
  #usesMost(use: Use, now: number): boolean {
    const { inProgress } = this.#limits
    if (inProgress && use.jobs <= inProgress.unlimited) return false
    use.fade(now)
    this.#all.fade(now)
    if (!inProgress) return use.served > this.#all.served / 2
    return use.spent > this.#all.spent / 2 && !this.#endsFewer(use, inProgress, now)
  }

  /**
   * Returns whether jobs of a restricted account arrive faster than they end, or whether it catches up after they did. Neither is so for a
   * flood on a number of connections, which sends its next request when it has a response.
   */
  #fallsBehind(use: Use, { unlimited }: JobLimits, now: number): boolean {
    const { jobs } = use
    use.backlog ??= { jobs, since: now, isRelieved: false }
    const { backlog } = use
    const age = now - backlog.since
    if (!backlog.isRelieved && age < settling) backlog.jobs = Math.max(backlog.jobs, jobs)
    const begins = !backlog.isRelieved && jobs > backlog.jobs + unlimited
    const ends = backlog.isRelieved && age > relief
    if (begins || ends) use.backlog = { jobs, since: now, isRelieved: begins || jobs < backlog.jobs }
    return use.backlog.isRelieved
  }

  /** Returns whether another busy account recently ended more jobs. */
  #endsFewer(use: Use, { busy }: JobLimits, now: number): boolean {
    for (const other of this.#busy) {
      other.fade(now)
      if (other !== use && other.spent > busy * memory && other.ended > use.ended) return true
    }
    return false
  }

  #change(use: Use, now: number, jobs: number, served: number): void {
    for (const changed of [use, this.#all]) {
      changed.fade(now)
      changed.jobs += jobs
      changed.served += served
    }
    if (use.jobs > (this.#limits.inProgress?.busy ?? Number.POSITIVE_INFINITY)) this.#busy.add(use)
    else this.#busy.delete(use)
  }
}
