import { v7 } from 'uuid'
import { Random } from './random.ts'
import type { SeedOptions } from './seed-options.ts'

const day = 86_400_000
const joiningDays = 300

/** The age in days of a network with this many publications. */
export function daysOf(posts: number): number {
  return Math.min(365, 20 + posts / 40)
}

/** The time of a row, and its id: a UUID version 7 (RFC 9562) of that time, so that ids are in the order of time. */
export type Stamp = { readonly id: string; readonly at: Date }

/** The times of all rows: first all users join, one after the other, then they publish, until now. */
export class Timeline {
  readonly #options: SeedOptions
  /** The time of the first publication. */
  readonly start: Date

  constructor(options: SeedOptions) {
    this.#options = options
    this.start = new Date(options.now.getTime() - daysOf(options.posts) * day)
  }

  /** The user with an index. */
  user(index: number): Stamp {
    const start = this.start.getTime()
    return this.#step('user', index, this.#options.users, start - joiningDays * day, start - day)
  }

  /** The publication with an index. */
  publication(index: number): Stamp {
    return this.#step('publication', index, this.#options.posts, this.start.getTime(), this.#options.now.getTime())
  }

  /** The badge or application with an index, from the day before the first publication. */
  early(kind: 'badge' | 'application', index: number): Stamp {
    return this.#step(kind, index, 100, this.start.getTime() - day, this.start.getTime())
  }

  /** An id at a random time since another. */
  idSince(time: Date, random: Random): string {
    const from = time.getTime()
    const msecs = Math.floor(from + random.fraction() * (this.#options.now.getTime() - from))
    return v7({ msecs, random: randomBytes(random) })
  }

  // Steps of equal length, each with its time in the first part, so that a later index has a later time.
  #step(kind: string, index: number, count: number, from: number, to: number): Stamp {
    const random = new Random(this.#options.seed, kind, index)
    const msecs = Math.floor(from + ((to - from) * (index + random.fraction() * 0.8)) / count)
    return { id: v7({ msecs, seq: index, random: randomBytes(random) }), at: new Date(msecs) }
  }
}

function randomBytes(random: Random): Uint8Array {
  return new Uint8Array(Uint32Array.of(random.bits(), random.bits(), random.bits(), random.bits()).buffer)
}
