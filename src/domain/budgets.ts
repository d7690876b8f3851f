import { channel } from 'node:diagnostics_channel'
import { LRUCache } from 'lru-cache'
import type { Adding, Limiter, Limiters } from '../data/limiters/limiter.ts'
import { Refusal } from '../errors.ts'

/** How many points an account or an address has in a window, and how many seconds the window lasts. */
export type RateLimit = { readonly points: number; readonly seconds: number }

/** The points of a request that is refused before anything of it runs. */
export const refusalPrice = 100

/** How many keys without points a process remembers, so that it can refuse them without asking the limiter. */
const rememberedKeys = 10_000

/** Publishes the points that budgets are charged. */
export const charges = channel('rookery:charge')

/** What is left of a budget. */
export type Balance = {
  readonly limit: number
  /** How many seconds a window lasts. */
  readonly window: number
  readonly remaining: number
  /** When the budget is full again, in the milliseconds of `performance.now()`. */
  readonly resetsAt: number
}

/** The budgets of all accounts and addresses. */
export class Budgets {
  readonly rate: RateLimit
  readonly #limiter: Limiter
  readonly #usedUp = new LRUCache<string, Balance>({ max: rememberedKeys })

  constructor(rate: RateLimit, limiters: Limiters) {
    this.rate = rate
    this.#limiter = limiters.create({ name: 'budget', ...rate })
  }

  /** The budget of an account or of an address, for one request. */
  of(key: string): Budget {
    return new Budget(this, key)
  }

  /** The balance of a key that is known to have nothing left. */
  usedUp(key: string): Balance | undefined {
    const known = this.#usedUp.get(key)
    return known && known.resetsAt > performance.now() ? known : undefined
  }

  /** Takes points of a key, or none if there are fewer. Remembers keys that have nothing left. */
  async take(key: string, points: number, adding?: Adding): Promise<{ isRefused: boolean; balance: Balance }> {
    const { isRefused, used, resetsIn } = await this.#limiter.add(key, points, adding)
    if (!isRefused) charges.publish(points)
    const { points: limit, seconds: window } = this.rate
    const balance = { limit, window, remaining: Math.max(limit - used, 0), resetsAt: performance.now() + resetsIn }
    if (balance.remaining < refusalPrice) this.#usedUp.set(key, balance)
    return { isRefused, balance }
  }
}

/** What one request spends of a budget. */
export class Budget {
  readonly #budgets: Budgets
  readonly #key: string
  #balance: Balance | undefined
  #isSettled = false

  constructor(budgets: Budgets, key: string) {
    this.#budgets = budgets
    this.#key = key
  }

  /** The most points that one operation can spend. */
  get limit(): number {
    return this.#budgets.rate.points
  }

  /** Throws `RATE_LIMITED` when the budget is known to be used up. */
  requirePoints(): void {
    this.#balance = this.#budgets.usedUp(this.#key)
    if (this.#balance === undefined) return
    this.#isSettled = true
    throw refusalOf(this.#balance, 'The budget is used up.')
  }

  /** Takes the points of an operation. Throws `RATE_LIMITED` and takes none when fewer are left. */
  async charge(points: number): Promise<void> {
    const { isRefused, balance } = await this.#take(points)
    if (isRefused) throw refusalOf(balance, `This request costs ${points} points.`)
    this.#isSettled = true
  }

  /** Charges nothing for the request, since it only asked for a price. */
  chargeNothing(): void {
    this.#isSettled = true
  }

  /** Takes points for something that has been done; all that are left if these are fewer. */
  async spend(points: number): Promise<void> {
    await this.#take(points, { partly: true })
  }

  /** Takes the points of a refused request, unless it was charged already. If fewer are left, the budget counts as used up. */
  async settle(): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    await this.#take(refusalPrice)
  }

  /** What is left of the budget. */
  async balance(): Promise<Balance> {
    return this.#balance ?? (await this.#take(0)).balance
  }

  async #take(points: number, adding?: Adding) {
    const taken = await this.#budgets.take(this.#key, points, adding)
    this.#balance = taken.balance
    return taken
  }
}

function refusalOf({ limit, window, remaining, resetsAt }: Balance, why: string): Refusal {
  const retryAfter = secondsUntil(resetsAt)
  const left = `${remaining} of ${limit} points are left for this window of ${window} seconds.`
  return new Refusal('RATE_LIMITED', `${why} ${left} Try again in ${retryAfter} seconds.`, { retryAfter })
}

/** The seconds until a time of `performance.now()`, rounded up, at least one. */
export function secondsUntil(time: number): number {
  return Math.max(Math.ceil((time - performance.now()) / 1_000), 1)
}
