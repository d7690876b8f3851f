/** The maximum size of all bodies that are being read, in bytes. */
const maxUnfinished = 64 * 1024 * 1024

/** A body that is being read. */
export type UnfinishedBody = {
  /** Counts the memory that it takes now, in bytes. */
  readonly resize: (bytes: number) => void
  /** Stops counting it. */
  readonly end: () => void
}

type Counted = { bytes: number; readonly refuse: () => void }

const sumOf = (bodies: Iterable<Counted>) => [...bodies].reduce((sum, { bytes }) => sum + bytes, 0)

const largestOf = <T extends { readonly bytes: number }>(all: readonly T[]) =>
  all.reduce((one, other) => (other.bytes > one.bytes ? other : one))

/**
 * Limits the memory of bodies that are being read, in the whole process. Above the limit, the largest body of the address whose bodies
 * take the most memory is refused, so that one client cannot keep others from sending.
 */
export class UnfinishedBodies {
  readonly #bodiesOf = new Map<string, Set<Counted>>()
  #bytes = 0

  /** Begins to count a body. `refuse` has to drop it, and to call `end`. */
  begin(address: string, refuse: () => void): UnfinishedBody {
    const bodies = this.#bodiesOf.get(address) ?? new Set()
    this.#bodiesOf.set(address, bodies)
    const body: Counted = { bytes: 0, refuse }
    bodies.add(body)
    return {
      resize: (bytes) => {
        this.#bytes += bytes - body.bytes
        body.bytes = bytes
        while (this.#bytes > maxUnfinished) this.#refuseOne()
      },
      end: () => {
        if (!bodies.delete(body)) return
        this.#bytes -= body.bytes
        if (bodies.size === 0) this.#bodiesOf.delete(address)
      },
    }
  }

  #refuseOne(): void {
    const addresses = [...this.#bodiesOf.values()].map((bodies) => ({ bodies, bytes: sumOf(bodies) }))
    largestOf([...largestOf(addresses).bodies]).refuse()
  }
}
