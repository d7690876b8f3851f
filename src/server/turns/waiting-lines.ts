import { LRUCache } from 'lru-cache'

/** How much of its debt an owner pays with each turn that it misses, in milliseconds. */
const payment = 0.25

/** The maximum debt of an owner, in milliseconds. */
const mostDebt = 20

/** The maximum number of owners whose debts are known. */
const maxOwners = 1_000

/** An item that was taken from the line of its owner. */
export type Taken<T> = { readonly owner: string; readonly item: T }

/** The items of an owner. Those that go first are taken before the others. */
class Line<T> {
  readonly #first = new Set<T>()
  readonly #others = new Set<T>()

  get size(): number {
    return this.#first.size + this.#others.size
  }

  add(item: T, goesFirst: boolean): void {
    if (goesFirst) this.#first.add(item)
    else this.#others.add(item)
  }

  /** Returns whether it had the item. */
  delete(item: T): boolean {
    return this.#first.delete(item) || this.#others.delete(item)
  }

  /** Removes the next item. The line must not be empty. */
  take(): T | undefined {
    const [item] = this.#first.size > 0 ? this.#first : this.#others
    if (item !== undefined) this.delete(item)
    return item
  }
}

/**
 * Items that wait, in one line for each owner. The owners take turns. The time that an item takes is a debt of its owner, who misses turns
 * until it is paid. So owners with short items get more turns than those with long ones, and all get about the same time.
 */
export class WaitingLines<T> {
  readonly #lines = new Map<string, Line<T>>()
  /** The lines of owners who rest. */
  readonly #resting = new Map<string, Line<T>>()
  readonly #debts = new LRUCache<string, number>({ max: maxOwners })

  /** Whether nothing waits but items of owners who rest. */
  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Adds to the end of the line of an owner, or to the end of those that go first. */
  add(owner: string, item: T, goesFirst = false): void {
    let line = this.#resting.get(owner) ?? this.#lines.get(owner)
    if (line === undefined) {
      line = new Line()
      this.#lines.set(owner, line)
    }
    line.add(item, goesFirst)
  }

  delete(owner: string, item: T): void {
    const line = this.#lines.get(owner)
    if (line?.delete(item) && line.size === 0) this.#lines.delete(owner)
  }

  /** Gives an owner no turn until `wake`. */
  rest(owner: string): void {
    if (this.#resting.has(owner)) return
    this.#resting.set(owner, this.#lines.get(owner) ?? new Line())
    this.#lines.delete(owner)
  }

  isResting(owner: string): boolean {
    return this.#resting.has(owner)
  }

  wake(owner: string): void {
    const line = this.#resting.get(owner)
    this.#resting.delete(owner)
    if (line && line.size > 0) this.#lines.set(owner, line)
  }

  /** Removes the first item of the owner whose turn it is, and moves the owner to the end. Returns undefined if nothing waits. */
  take(): Taken<T> | undefined {
    for (const [owner, line] of this.#lines) {
      this.#lines.delete(owner)
      const debt = this.#debts.get(owner) ?? 0
      const mustWait = debt > 0 && this.#lines.size > 0
      if (mustWait) this.#debts.set(owner, debt - payment)
      const item = mustWait ? undefined : line.take()
      // The loop comes to it again.
      if (line.size > 0) this.#lines.set(owner, line)
      if (item !== undefined) return { owner, item }
    }
    return undefined
  }

  /** Charges an owner for what one of its items took, in milliseconds. */
  charge(owner: string, time: number): void {
    this.#debts.set(owner, Math.min(mostDebt, (this.#debts.get(owner) ?? 0) + time))
  }
}
