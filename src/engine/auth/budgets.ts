import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import { LRUCache } from 'lru-cache'
import { counted } from '../counted.ts'
import type { Adding, Limiter, Limiters } from '../data/limiters.ts'
import { Refusal } from '../errors.ts'

/** How many points an account or an address has in a window, and how many seconds the window lasts. */
export type RateLimit = { readonly points: number; readonly seconds: number }

/** The points of a request that is refused before anything of it runs. */
export const refusalPrice = 100

/** How many keys without points a process remembers, so that it can refuse them without asking the limiter. */
const rememberedKeys = 10_000

/** What is left of a budget. */
export type Balance = {
  readonly limit: number
  /** How many seconds a window lasts. */
  readonly window: number
  readonly remaining: number
  /** When the budget is full again, in the milliseconds of `performance.now()`. */
  readonly resetsAt: number
}

/** Whether points did not fit into a budget, and what is left of it. */
type Taken = { readonly isRefused: boolean; readonly balance: Balance | undefined }

/** The budgets of all accounts and addresses. */
export class Budgets {
  readonly rate: RateLimit
  readonly limiter: Limiter
  /** How many points were taken in total. */
  charged = 0
  /** The balances of keys that are known to have nothing left. */
  readonly usedUp = new LRUCache<string, Balance>({ max: rememberedKeys })

  constructor(rate: RateLimit, limiters: Limiters) {
    this.rate = rate
    this.limiter = limiters.create({ name: 'budget', ...rate })
  }
}

/**
 * What one request spends of the budget of an account or an address. Nothing is waited for where the count is in memory. Where rate
 * limits are off, it is only added up.
 */
export class Budget {
  /** The points that were taken. */
  spent = 0
  readonly #budgets: Budgets | undefined
  readonly #key: string
  #balance: Balance | undefined
  #isSettled = false

  constructor(budgets: Budgets | undefined, key: string) {
    this.#budgets = budgets
    this.#key = key
  }

  /** The most points that one operation can spend. */
  get limit(): number {
    return this.#budgets?.rate.points ?? Number.POSITIVE_INFINITY
  }

  /** Throws `RATE_LIMITED` when the budget is known to be used up. */
  requirePoints(): void {
    const known = this.#budgets?.usedUp.get(this.#key)
    if (!known || known.resetsAt <= performance.now()) return
    this.#balance = known
    this.#isSettled = true
    throw rateLimited(known, 'The budget is used up.')
  }

  /** Takes the points of an operation. Throws `RATE_LIMITED` and takes none when fewer are left. */
  charge(points: number): void | Promise<void> {
    return mapMaybePromise(this.#take(points), ({ isRefused, balance }) => {
      if (isRefused && balance) throw rateLimited(balance, `This request costs ${counted(points, 'point')}.`)
      this.#isSettled = true
    })
  }

  /** Charges nothing for the request, since it only asked for a price. */
  chargeNothing(): void {
    this.#isSettled = true
  }

  /** Takes points for something that has been done; all that are left if these are fewer. */
  async spend(points: number): Promise<void> {
    await this.#take(points, { partly: true })
  }

  /** What is left of the budget; undefined where rate limits are off. */
  balance(): Balance | undefined | Promise<Balance | undefined> {
    return this.#balance ?? mapMaybePromise(this.#take(0), ({ balance }) => balance)
  }

  /**
   * Takes the points of a refused request, unless it was charged already. If fewer are left, the budget counts as used up. Returns
   * what is left.
   */
  settle(): ReturnType<Budget['balance']> {
    if (this.#isSettled) return this.balance()
    this.#isSettled = true
    return mapMaybePromise(this.#take(refusalPrice), ({ balance }) => balance)
  }

  /** Takes points, or none if there are fewer. Remembers keys that have nothing left. */
  #take(points: number, adding?: Adding): Taken | Promise<Taken> {
    const budgets = this.#budgets
    if (!budgets) {
      this.spent += points
      return { isRefused: false, balance: undefined }
    }
    return mapMaybePromise(budgets.limiter.add(this.#key, points, adding), ({ isRefused, added, used, resetsIn }) => {
      this.spent += added
      budgets.charged += added
      const { points: limit, seconds: window } = budgets.rate
      const balance = { limit, window, remaining: Math.max(limit - used, 0), resetsAt: performance.now() + resetsIn }
      if (balance.remaining < refusalPrice) budgets.usedUp.set(this.#key, balance)
      this.#balance = balance
      return { isRefused, balance }
    })
  }
}

function rateLimited({ limit, window, remaining, resetsAt }: Balance, why: string): Refusal {
  const retryAfter = secondsUntil(resetsAt)
  const left = `${remaining} of ${limit} points are left for this window of ${window} seconds.`
  return new Refusal('RATE_LIMITED', `${why} ${left} Try again in ${counted(retryAfter, 'second')}.`, { retryAfter })
}

/** The seconds until a time of `performance.now()`, rounded up, at least one. */
export function secondsUntil(time: number): number {
  return Math.max(Math.ceil((time - performance.now()) / 1_000), 1)
}
