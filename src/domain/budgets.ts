import { LRUCache } from 'lru-cache'
import { type Limiter, type Limiters, takePoints, type Usage } from '../data/limiters/limiter.ts'
import { Refusal } from '../errors.ts'

/** How many points an account or an address has in a window, and how many seconds the window lasts. */
export type RateLimit = { readonly points: number; readonly seconds: number }

/** The points of a request that is refused before anything of it runs. */
export const refusalPrice = 100

/** How many keys without points a process remembers, so that it can refuse them without asking the limiter. */
const rememberedKeys = 10_000

/** How many times a request tries to take points while others take them too. */
const attemptsToSpend = 5

/** What is left of a budget. */
export type Balance = {
  readonly limit: number
  /** How many seconds a window lasts. */
  readonly window: number
  readonly remaining: number
  /** When the budget is full again, in milliseconds since the epoch. */
  readonly resetAt: number
}

/** The budgets of all accounts and addresses. */
export class Budgets {
  readonly rate: RateLimit
  readonly limiter: Limiter
  readonly #usedUp = new LRUCache<string, Balance>({ max: rememberedKeys })

  constructor(rate: RateLimit, limiters: Limiters) {
    this.rate = rate
    this.limiter = limiters.create({ name: 'budget', ...rate })
  }

  /** The budget of an account or of an address, for one request. */
  of(key: string): Budget {
    return new Budget(this, key)
  }

  /** The balance of a key that is known to have nothing left. */
  usedUp(key: string): Balance | undefined {
    const known = this.#usedUp.get(key)
    return known && known.resetAt > Date.now() ? known : undefined
  }

  /** The balance of a key, which is remembered where nothing is left. */
  balanceOf(key: string, { used, resetsIn }: Usage): Balance {
    const { points: limit, seconds: window } = this.rate
    const balance = { limit, window, remaining: Math.max(limit - used, 0), resetAt: Date.now() + resetsIn }
    if (balance.remaining < refusalPrice) this.#usedUp.set(key, balance)
    return balance
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
    const usedUp = this.#budgets.usedUp(this.#key)
    if (usedUp === undefined) return
    this.#balance = usedUp
    this.#isSettled = true
    throw this.#refuse(usedUp, 'The budget is used up.')
  }

  /** Takes the points of an operation. Throws `RATE_LIMITED` and takes none when fewer are left. */
  async charge(points: number): Promise<void> {
    const balance = await this.#take(points)
    if (balance) this.#isSettled = true
    else throw this.#refuse(await this.balance(), `This request costs ${points} points.`)
  }

  /** Charges nothing for the request, since it only asked for a price. */
  skip(): void {
    this.#isSettled = true
  }

  /** Takes points for something that has been done; all that are left if these are fewer. */
  async spend(points: number): Promise<void> {
    let wanted = points
    // Requests at the same time may take some of what is left first.
    for (let attempt = 0; attempt < attemptsToSpend; attempt += 1) {
      if (await this.#take(wanted)) return
      const { remaining } = await this.balance()
      wanted = Math.min(points, remaining)
    }
  }

  /** Takes the points of a refused request, unless it was charged already. If fewer are left, the budget counts as used up. */
  async settle(): Promise<void> {
    if (this.#isSettled) return
    this.#isSettled = true
    await this.#take(refusalPrice)
  }

  /** What is left of the budget. */
  async balance(): Promise<Balance> {
    if (this.#balance) return this.#balance
    const counted = await this.#budgets.limiter.get(this.#key)
    const usage = counted
      ? { used: counted.consumedPoints, resetsIn: Math.max(counted.msBeforeNext, 0) }
      : { used: 0, resetsIn: this.#budgets.rate.seconds * 1_000 }
    this.#balance = this.#budgets.balanceOf(this.#key, usage)
    return this.#balance
  }

  async #take(points: number): Promise<Balance | undefined> {
    const { isRefused, ...usage } = await takePoints(this.#budgets.limiter, this.#key, points)
    this.#balance = this.#budgets.balanceOf(this.#key, usage)
    return isRefused ? undefined : this.#balance
  }

  #refuse({ limit, window, remaining, resetAt }: Balance, why: string): Refusal {
    const retryAfter = secondsUntil(resetAt)
    const left = `${remaining} of ${limit} points are left for this window of ${window} seconds.`
    return new Refusal('RATE_LIMITED', `${why} ${left} Try again in ${retryAfter} seconds.`, { retryAfter })
  }
}

/** The seconds until a time in milliseconds since the epoch, rounded up, at least one. */
export function secondsUntil(time: number): number {
  return Math.max(Math.ceil((time - Date.now()) / 1_000), 1)
}
