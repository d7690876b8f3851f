import { at, Random } from './random.ts'
import { quietUsers } from './readers.ts'
import type { NetworkSize } from './seed-options.ts'

const adasRank = 4
const quietUntil = 0.15

/**
 * The activity and popularity of users. Users are numbers from 0, and ada is 0. As in real networks, few users do most. The last
 * users of a large network published only in its first days.
 */
export class Crowd {
  readonly #users: number
  readonly #active: number
  readonly #ranked: Int32Array

  constructor({ users, seed }: Pick<NetworkSize, 'users' | 'seed'>) {
    this.#users = users
    this.#active = users - quietUsers(users)
    this.#ranked = new Random(seed, 'ranks').shuffled(this.#active)
    const rank = Math.min(adasRank, this.#active - 1)
    this.#ranked[this.#ranked.indexOf(0)] = at(this.#ranked, rank)
    this.#ranked[rank] = 0
  }

  /** The most popular users except ada. */
  top(count: number): number[] {
    return [...this.#ranked.subarray(0, count + 1)].filter((user) => user !== 0).slice(0, count)
  }

  /** Draws the author of a publication. `point` is the time in the life of the network, from 0 to 1. */
  author(random: Random, point: number): number {
    if (point < quietUntil && this.#active < this.#users && random.chance(0.3)) return this.quiet(random)
    return at(this.#ranked, random.skewed(this.#active, 1.6))
  }

  /** Draws a user to follow. */
  followee(random: Random): number {
    return random.chance(0.6) ? at(this.#ranked, random.skewed(this.#active, 2.2)) : random.below(this.#users)
  }

  /** Draws a user who likes something. */
  liker(random: Random): number {
    return random.chance(0.5) ? at(this.#ranked, random.skewed(this.#active, 1.4)) : random.below(this.#users)
  }

  /** Draws a user who has published nothing for long. Only large networks have such users. */
  quiet(random: Random): number {
    return this.#active + random.below(this.#users - this.#active)
  }
}
