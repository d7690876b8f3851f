/** Memory that is counted. */
export type CountedMemory = {
  /** Sets how many bytes it takes now. */
  readonly resize: (bytes: number) => void
  /** Adds bytes. */
  readonly grow: (bytes: number) => void
  /** Stops counting it. */
  readonly end: () => void
}

type Counted = { bytes: number; readonly end: () => void; readonly drop: () => void }

/** What an address takes: its parts, and how many bytes they have together. */
type Share = { bytes: number; readonly parts: Set<Counted> }

/** The largest; of several equally large ones, the latest. */
const largestOf = <T extends { readonly bytes: number }>(all: Iterable<T>) =>
  [...all].reduce((one, other) => (other.bytes >= one.bytes ? other : one))

/**
 * Memory that the clients of this process share. Above its limit, the largest part of the address that takes the most is dropped, so that
 * one client cannot take the memory of others.
 */
export class SharedMemory {
  /** In bytes. */
  readonly #limit: number
  readonly #shareOf = new Map<string, Share>()
  #bytes = 0

  /** The limit is in bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Begins to count a part, which takes nothing yet. `drop` must free it soon; by then it is no longer counted. */
  begin(address: string, drop: () => void): CountedMemory {
    const share = this.#shareOf.get(address) ?? { bytes: 0, parts: new Set() }
    this.#shareOf.set(address, share)
    const add = (bytes: number) => {
      part.bytes += bytes
      share.bytes += bytes
      this.#bytes += bytes
    }
    const end = () => {
      if (!share.parts.delete(part)) return
      add(-part.bytes)
      if (share.parts.size === 0) this.#shareOf.delete(address)
    }
    const part: Counted = { bytes: 0, end, drop }
    share.parts.add(part)
    const resize = (bytes: number) => {
      if (share.parts.has(part)) add(bytes - part.bytes)
      while (this.#bytes > this.#limit) this.#dropLargest()
    }
    return { resize, grow: (bytes) => resize(part.bytes + bytes), end }
  }

  #dropLargest(): void {
    const { end, drop } = largestOf(largestOf(this.#shareOf.values()).parts)
    end()
    drop()
  }
}
