/** Items that wait, in one line for each owner. The owners take turns. */
export class WaitingLines<T> {
  readonly #lines = new Map<string, Set<T>>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Adds to the end of the line of an owner. */
  add(owner: string, waiting: T): void {
    const line = this.#lines.get(owner)
    if (line) line.add(waiting)
    else this.#lines.set(owner, new Set([waiting]))
  }

  delete(owner: string, waiting: T): void {
    const line = this.#lines.get(owner)
    if (line?.delete(waiting) && line.size === 0) this.#lines.delete(owner)
  }

  /** Removes the first of the owner whose turn it is, and moves the owner to the end. Returns undefined if nothing waits. */
  take(): T | undefined {
    const [first] = this.#lines
    if (!first) return undefined
    const [owner, line] = first
    const [waiting] = line
    this.#lines.delete(owner)
    if (waiting !== undefined) line.delete(waiting)
    if (line.size > 0) this.#lines.set(owner, line)
    return waiting
  }
}
