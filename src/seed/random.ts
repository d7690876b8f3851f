function mix(state: number, value: number): number {
  let hash = Math.imul(state ^ value, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = mix(hash, name.charCodeAt(at))
  return hash
}

/**
 * A small seeded generator (mulberry32). The same seeds always give the same numbers. Several seeds together name a separate stream,
 * so that row 7 can be generated without rows 0 to 6. Not for secrets.
 */
export class Random {
  #state = 0x2545f491

  constructor(...seeds: readonly (number | string)[]) {
    for (const seed of seeds) this.#state = mix(this.#state, typeof seed === 'string' ? hashOf(seed) : seed)
  }

  /** A 32-bit unsigned integer. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let hash = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61)
    return (hash ^ (hash >>> 14)) >>> 0
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.bits() / 0x100000000
  }

  /** An integer from 0 up to, but not including, the bound. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound)
  }

  /** Like `below`, but skewed to small numbers: a power of 1 is uniform, 2 and more produce a few hubs. */
  skewed(bound: number, power: number): number {
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

  /** The integers from 0 up to, but not including, the length, in random order. */
  shuffled(length: number): Int32Array {
    const order = Int32Array.from({ length }, (_, index) => index)
    for (let last = length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      const held = at(order, last)
      order[last] = at(order, other)
      order[other] = held
    }
    return order
  }
}

/** The item at an index that is known to exist. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const item = list[index]
  if (item === undefined) throw new RangeError(`There is no item ${index} in ${list.length}.`)
  return item
}

/** Distributes a total over the indices that `draw` returns, at most `most` to each. A full one is drawn again. */
export function deal(total: number, length: number, most: number, draw: () => number): Int32Array {
  const counts = new Int32Array(length)
  for (let dealt = 0; dealt < total; ) {
    const index = draw()
    const count = at(counts, index)
    if (count >= most) continue
    counts[index] = count + 1
    dealt += 1
  }
  return counts
}

/** Draws distinct indices other than `except`. `draw` must be able to return as many as are wanted. */
export function* distinct(wanted: number, except: number, draw: () => number): Generator<number> {
  const drawn = new Set([except])
  while (drawn.size <= wanted) {
    const index = draw()
    if (drawn.has(index)) continue
    drawn.add(index)
    yield index
  }
}
