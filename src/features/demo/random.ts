/**
 * A small seeded generator (mulberry32). The same seeds always give the same numbers. Several seeds together name a separate stream,
 * so that row 7 can be generated without rows 0 to 6. Not for secrets.
 */
export class Random {
  #state = 0x811c9dc5

  constructor(...seeds: readonly (number | string)[]) {
    const mix = (value: number) => {
      this.#state = Math.imul(this.#state ^ value, 0x01000193)
    }
    for (const seed of seeds) {
      if (typeof seed === 'number') mix(seed)
      else for (let at = 0; at < seed.length; at++) mix(seed.charCodeAt(at))
    }
  }

  /** A 32-bit unsigned integer. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let hash = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61)
    return (hash ^ (hash >>> 14)) >>> 0
  }

  /** Sixteen bytes. */
  bytes(): Uint8Array {
    return new Uint8Array(Uint32Array.of(this.bits(), this.bits(), this.bits(), this.bits()).buffer)
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.bits() / 0x100000000
  }

  /** An integer from 0 up to, but not including, the bound. A power of 2 and more prefers small ones. */
  below(bound: number, power = 1): number {
    return Math.floor(this.fraction() ** power * bound)
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** One of the list, all equally likely. */
  pick<T>(list: readonly T[]): T {
    return at(list, this.below(list.length))
  }
}

/** The item at an index that is known to exist. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no item ${index} in ${list.length}.`)
  return item
}

/** The index at a rank: a permutation in which neighboring ranks are far apart. Rank 0 is index 0. */
export function scattered(rank: number, length: number): number {
  // A prime above the maximum number of anything.
  return (rank * 7_368_787) % length
}

/** Distributes a total over the indices that `draw` returns, at most `max` to each. A full one is drawn again. */
export function deal(total: number, length: number, max: number, draw: () => number): Int32Array {
  const counts = new Int32Array(length)
  for (let dealt = 0; dealt < total; ) {
    const index = draw()
    const count = at(counts, index)
    if (count >= max) continue
    counts[index] = count + 1
    dealt += 1
  }
  return counts
}

/** Draws distinct indices other than `except`. `draw` must be able to return as many as are wanted. */
export function distinct(wanted: number, except: number, draw: () => number): number[] {
  const drawn = new Set([except])
  while (drawn.size <= wanted) drawn.add(draw())
  return [...drawn].slice(1)
}
