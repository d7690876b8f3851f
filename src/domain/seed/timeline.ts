import { v7 } from 'uuid'
import { Random, streamOf } from './random.ts'
import type { SeedOptions } from './seed-options.ts'

const day = 86_400_000
const joiningDays = 300

/** For how many days a network of so many publications has been publishing. */
export function daysOf(posts: number): number {
  return Math.min(365, 20 + posts / 40)
}

/** A row's moment, and its id: a UUID version 7 (RFC 9562) of that moment, so the order of ids is that of time. */
export type Stamp = { readonly id: string; readonly at: Date }

/** When everything happened: first all users joined, one after the other, then they published, up to now. */
export class Timeline {
  readonly #options: SeedOptions
  readonly #firstPost: number
  readonly #firstUser: number

  constructor(options: SeedOptions) {
    this.#options = options
    this.#firstPost = options.now.getTime() - daysOf(options.posts) * day
    this.#firstUser = this.#firstPost - joiningDays * day
  }

  /** The user of an index. */
  user(index: number): Stamp {
    return this.#step('user', index, this.#options.users, this.#firstUser, this.#firstPost - day)
  }

  /** The publication of an index. */
  publication(index: number): Stamp {
    return this.#step('publication', index, this.#options.posts, this.#firstPost, this.#options.now.getTime())
  }

  /** The badge or application of an index, from the day before the first publication. */
  early(kind: 'badge' | 'application', index: number): Stamp {
    return this.#step(kind, index, 100, this.#firstPost - day, this.#firstPost)
  }

  /** The id of a follow at a random moment since everybody has joined. */
  followId(random: Random): string {
    const span = this.#options.now.getTime() - this.#firstPost
    return v7({ msecs: Math.floor(this.#firstPost + random.fraction() * span), random: randomBytes(random) })
  }

  // Steps of equal length, each with its moment somewhere in its first part: so a later index is a later time.
  #step(kind: string, index: number, count: number, from: number, to: number): Stamp {
    const random = new Random(this.#options.seed, streamOf(kind), index)
    const msecs = Math.floor(from + ((to - from) * (index + random.fraction() * 0.8)) / count)
    return { id: v7({ msecs, seq: index, random: randomBytes(random) }), at: new Date(msecs) }
  }
}

function randomBytes(random: Random): Uint8Array {
  return new Uint8Array(Uint32Array.of(random.bits(), random.bits(), random.bits(), random.bits()).buffer)
}
