import type { Limiter, Limiters } from '../../engine/data/limiters.ts'
import { isUndone } from '../../engine/data/write-outcome.ts'
import { day } from '../../engine/day.ts'
import { tooOften } from '../../engine/errors.ts'
import type { Attempt } from './passwords.ts'

/** How many attempts are free before each further one has to wait, per day. */
export const freeAttempts = {
  /** Wrong passwords, or codes, of one account from one address, or passwords from one known device. */
  account: 5,
  /** Wrong passwords and codes of all accounts from one address. */
  address: 50,
  /** New accounts from one address. */
  signUp: 20,
} as const

/**
 * How many rows one address may cause before anybody has signed in: steps of connecting, which are kept for ten minutes, and
 * registrations, for a day.
 */
export const strangersRows = {
  step: { points: 1_000, seconds: 600 },
  registration: { points: 500, seconds: day / 1_000 },
} as const

/** The longest wait, in seconds. Each wait is twice the one before. */
export const longestWait = 900

type Counter = { readonly key: string; readonly free: number }

/** Slows down guesses of passwords, sign-up and strangers who connect applications, by addresses and accounts. */
export class SignInLimits {
  readonly #attempts: Limiter
  readonly #waits: Limiter
  readonly #firstWait: number
  readonly #rows: Readonly<Record<keyof typeof strangersRows, Limiter>>

  /** The first wait is in seconds. */
  constructor(limiters: Limiters, firstWait = 1) {
    this.#firstWait = firstWait
    this.#attempts = limiters.create({ name: 'attempts', points: Number.MAX_SAFE_INTEGER, seconds: day / 1_000 })
    this.#waits = limiters.create({ name: 'waits', points: 1, seconds: longestWait })
    this.#rows = {
      step: limiters.create({ name: 'steps', ...strangersRows.step }),
      registration: limiters.create({ name: 'registrations', ...strangersRows.registration }),
    }
  }

  /**
   * Checks the password of a sign-in, and counts the attempt if it is wrong. Another address, or a device that has signed in to the account
   * before, does not wait for attempts of others. Throws `RATE_LIMITED` without checking it while the client has to wait.
   */
  signIn({ address, account }: Attempt, device: string | undefined, isRight: () => Promise<boolean>): Promise<boolean> {
    if (device) return this.#check(`device ${device}`, [], isRight)
    return this.#check(
      `${account} from ${address}`,
      [{ key: `address ${address}`, free: freeAttempts.address }],
      isRight,
    )
  }

  /**
   * Checks the current password before it is changed. Counts wrong ones like `signIn`, but separately, so that those who only try
   * to sign in cannot keep the viewer waiting.
   */
  change({ address, account }: Attempt, isRight: () => Promise<boolean>): Promise<boolean> {
    return this.#check(`change of ${account} from ${address}`, [], isRight)
  }

  /**
   * Checks a code of a second factor. Counts wrong ones like `signIn`, but separately, so that the right password does not reset
   * their count.
   */
  code({ address, account }: Attempt, isRight: () => Promise<boolean>): Promise<boolean> {
    const shared = [{ key: `address ${address}`, free: freeAttempts.address }]
    return this.#check(`code of ${account} from ${address}`, shared, isRight)
  }

  /** Creates an account, and counts the attempt unless it gets `UNAVAILABLE`. Throws `RATE_LIMITED` while the client has to wait. */
  async signUp<T>(address: string, create: () => Promise<T>): Promise<T> {
    const counters = [{ key: `sign-up ${address}`, free: freeAttempts.signUp }]
    const waits = await this.#admit(counters)
    try {
      return await create()
    } catch (error) {
      if (isUndone(error)) await this.#takeBack(counters, waits)
      throw error
    }
  }

  /** Counts a row that somebody causes who has not signed in. Throws `RATE_LIMITED` when their address has too many. */
  async addRow(kind: keyof typeof strangersRows, address: string): Promise<void> {
    const { isRefused, resetsIn } = await this.#rows[kind].add(address, 1)
    if (isRefused) throw tooOften('Too many attempts to connect applications from this address.', resetsIn)
  }

  /** Checks a password. A wrong one counts under its key and in the shared counters; the right one resets only the count under its key. */
  async #check(key: string, shared: readonly Counter[], isRight: () => Promise<boolean>): Promise<boolean> {
    const counters = [...shared, { key, free: freeAttempts.account }]
    const waits = await this.#admit(counters)
    try {
      if (!(await isRight())) return false
    } catch (error) {
      await this.#takeBack(counters, waits)
      throw error
    }
    await Promise.all([this.#takeBack(shared, waits), this.#attempts.delete(key)])
    return true
  }

  /**
   * Counts an attempt, before its result is known, so that attempts at the same time are counted too. Returns the counters whose
   * wait begins.
   */
  async #admit(counters: readonly Counter[]): Promise<readonly Counter[]> {
    const counted: Counter[] = []
    const waits: Counter[] = []
    for (const counter of counters) {
      counted.push(counter)
      const { used } = await this.#attempts.add(counter.key, 1)
      const beyond = used - counter.free
      if (beyond <= 0) continue
      const seconds = Math.min(this.#firstWait * 2 ** (beyond - 1), longestWait)
      const { isRefused, resetsIn } = await this.#waits.add(counter.key, 1, { seconds })
      if (!isRefused) {
        waits.push(counter)
        continue
      }
      await this.#takeBack(counted, waits)
      throw tooOften('There were too many attempts.', resetsIn)
    }
    return waits
  }

  /**
   * Stops counting an attempt, and ends the waits that it began. If one of them has ended while the attempt was queued, this ends the next
   * wait of its counter instead.
   */
  async #takeBack(counted: readonly Counter[], waits: readonly Counter[]): Promise<void> {
    await Promise.all([
      ...counted.map(({ key }) => this.#attempts.add(key, -1)),
      ...waits.map(({ key }) => this.#waits.delete(key)),
    ])
  }
}
