import type { Database } from '../data/database.ts'
import { Slots } from '../data/slots.ts'

/**
 * How often it looks for changes while anybody waits, in milliseconds. Each time, all who wait may read a page: the more wait, the rarer it
 * is, for about 1,000 pages a second.
 */
const interval = { least: 200, most: 1_000 } as const

/** How many requests and streams of an account wait for changes at the same time. */
export const waitingForChanges = 10

/** Who waits for changes after an id. `end` is told whether there may be some. */
type Waiting = { readonly id: string; readonly end: (isMore: boolean) => void }

/** Tells requests and streams that wait when there are changes. It looks once for all of them. */
export class ChangeWatch {
  readonly #database: Database
  /** How many streams are open, and how many requests wait. */
  readonly open = { stream: 0, poll: 0 }
  readonly #slots = new Slots({ atOnce: waitingForChanges, waiting: 0, waitTimeout: 0 })
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether nobody waits any more, because the server stops. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Counts a stream or a request of an account until the function that it returns is called. Throws `UNAVAILABLE` if it has too many. */
  async enter(kind: keyof ChangeWatch['open'], account: string): Promise<() => void> {
    const giveBack = await this.#slots.take(account)
    this.open[kind] += 1
    return () => {
      this.open[kind] -= 1
      giveBack()
    }
  }

  /** Waits for changes after an id, in hexadecimal, for so many milliseconds, and returns whether there may be some. */
  after(id: string, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      const nothing = () => waiting.end(false)
      const timer = setTimeout(nothing, milliseconds)
      signal.addEventListener('abort', nothing, { once: true })
      const end = (isMore: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', nothing)
        this.#waiting.delete(waiting)
        resolve(isMore)
      }
      const waiting = { id, end }
      this.#waiting.add(waiting)
      if (this.#isStopped || signal.aborted) nothing()
      else this.#timer ??= this.#nextLook()
    })
  }

  /** Ends all waits, also those that begin later. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const { end } of this.#waiting) end(false)
  }

  async #look(): Promise<void> {
    const newest = await this.#newest()
    for (const { id, end } of this.#waiting) if (newest === undefined || id < newest) end(true)
    this.#timer = this.#waiting.size > 0 ? this.#nextLook() : undefined
  }

  #nextLook(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), Math.min(Math.max(this.#waiting.size, interval.least), interval.most))
  }

  /** The id of the newest change that readers see, undefined if the database does not answer: then those who wait find out why. */
  async #newest(): Promise<string | undefined> {
    const text = `select encode(uuid_send(id), 'hex') as id from changes where id < change_horizon() order by id desc limit 1`
    const rows = await this.#database.runReserved<{ readonly id: string }>(text, []).catch(() => [])
    return rows[0]?.id
  }
}
