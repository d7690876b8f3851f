import { type Limiter, type Limiters, takePoints } from '../data/limiters/limiter.ts'
import { Refusal } from '../errors.ts'

/** How many attempts are free before each further one has to wait, per day. */
export const freeAttempts = {
  /** Wrong passwords of one account from one address, or from one known device. */
  account: 5,
  /** Wrong passwords of all accounts from one address. */
  address: 50,
  /** New accounts from one address. */
  signUp: 20,
} as const

/** How long attempts are counted, in seconds. */
const secondsPerDay = 86_400

/** The longest wait, in seconds. Each wait is twice the one before. */
export const longestWait = 900

/** Who signs in: the address, the account that is named, and a known device of this account. */
export type Attempt = { readonly address: string; readonly account: string; readonly device: string | undefined }

type Counter = { readonly key: string; readonly free: number }

/** Slows down guesses of passwords, and sign-up, by addresses and accounts. */
export class SignInLimits {
  readonly #attempts: Limiter
  readonly #waits: Limiter
  readonly #firstWait: number

  /** The first wait is in seconds. */
  constructor(limiters: Limiters, firstWait = 1) {
    this.#firstWait = firstWait
    this.#attempts = limiters.create({ name: 'attempts', points: Number.MAX_SAFE_INTEGER, seconds: secondsPerDay })
    this.#waits = limiters.create({ name: 'waits', points: 1, seconds: longestWait })
  }

  /**
   * Checks a password, and counts the attempt if it is wrong. Another address, or a device that has signed in to the account before,
   * does not wait for attempts of others. Throws `RATE_LIMITED` without checking it while the client has to wait.
   */
  async signIn({ address, account, device }: Attempt, isRight: () => Promise<boolean>): Promise<boolean> {
    const own = { key: device ? `device ${device}` : `${account} from ${address}`, free: freeAttempts.account }
    const shared = device ? [] : [{ key: `address ${address}`, free: freeAttempts.address }]
    await this.#admit([...shared, own])
    try {
      if (!(await isRight())) return false
    } catch (error) {
      await this.#uncount([...shared, own])
      throw error
    }
    await Promise.all([this.#uncount(shared), this.#attempts.delete(own.key), this.#waits.delete(own.key)])
    return true
  }

  /** Counts an attempt to sign up. Throws `RATE_LIMITED` while the client has to wait. */
  async signUp(address: string): Promise<void> {
    await this.#admit([{ key: `sign-up ${address}`, free: freeAttempts.signUp }])
  }

  /** Counts an attempt, before its result is known, so that attempts at the same time are counted too. */
  async #admit(counters: readonly Counter[]): Promise<void> {
    const counted: Counter[] = []
    for (const counter of counters) {
      counted.push(counter)
      const { consumedPoints } = await this.#attempts.penalty(counter.key, 1)
      const beyond = consumedPoints - counter.free
      if (beyond <= 0) continue
      const wait = Math.min(this.#firstWait * 2 ** (beyond - 1), longestWait)
      const { isRefused, resetsIn } = await takePoints(this.#waits, counter.key, 1, wait)
      if (!isRefused) continue
      await this.#uncount(counted)
      const retryAfter = Math.max(Math.ceil(resetsIn / 1_000), 1)
      throw new Refusal('RATE_LIMITED', `There were too many attempts. Try again in ${retryAfter} seconds.`, {
        retryAfter,
      })
    }
  }

  async #uncount(counters: readonly Counter[]): Promise<void> {
    await Promise.all(counters.map(({ key }) => this.#attempts.reward(key, 1)))
  }
}
