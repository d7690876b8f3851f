import { tooBusy } from './request-info.ts'

/** How many holders each key has at once, how many more may wait, and for how many milliseconds. */
export type SlotLimits = { readonly atOnce: number; readonly waiting: number; readonly waitTimeout: number }

/** Gives a slot back. Further calls have no effect. */
export type Release = () => void

type Line = { held: number; readonly waiting: Set<() => void> }

/** A limited number of slots for each key, such as an account. A key without holders takes no memory. */
export class KeyedSemaphore {
  readonly #limits: SlotLimits
  readonly #lines = new Map<string, Line>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** How many slots of all keys are held, and how many wait for one. */
  count(): { readonly held: number; readonly waiting: number } {
    const lines = [...this.#lines.values()]
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
    return { held: sum(lines.map(({ held }) => held)), waiting: sum(lines.map(({ waiting }) => waiting.size)) }
  }

  /**
   * Takes a slot, at once if one is free, and returns what gives it back. Throws `UNAVAILABLE` if too many wait, or the wait is too
   * long.
   */
  take(key: string): Release | Promise<Release> {
    const line = this.#lines.get(key) ?? { held: 0, waiting: new Set() }
    this.#lines.set(key, line)
    if (line.held >= this.#limits.atOnce) return this.#wait(key, line)
    line.held += 1
    return this.#releasing(key, line)
  }

  /** Runs work in a slot. Throws `UNAVAILABLE` like `take`. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const taken = this.take(key)
    const release = typeof taken === 'function' ? taken : await taken
    try {
      return await work()
    } finally {
      release()
    }
  }

  #wait(key: string, line: Line): Promise<Release> {
    const { waiting } = line
    if (waiting.size >= this.#limits.waiting) throw tooBusy()
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        waiting.delete(start)
        resolve(this.#releasing(key, line))
      }
      const timer = setTimeout(() => {
        waiting.delete(start)
        reject(tooBusy())
      }, this.#limits.waitTimeout)
      waiting.add(start)
    })
  }

  /** What gives a slot back, to whoever has waited longest. */
  #releasing(key: string, line: Line): Release {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const [next] = line.waiting
      if (next) next()
      else line.held -= 1
      if (line.held === 0) this.#lines.delete(key)
    }
  }
}
