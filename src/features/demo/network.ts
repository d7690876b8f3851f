import { v7 } from 'uuid'
import { day } from '../../engine/day.ts'
import { at, Random, scattered } from './random.ts'
import type { SeedOptions } from './seed-options.ts'

const joiningDays = 300
const daysOf = (posts: number) => Math.min(365, 20 + posts / 40)

/** The times of all rows: first all users join, one after the other, then they publish, until now. */
export function timelineOf({ users, posts, seed, now: until }: SeedOptions) {
  const now = until.getTime()
  const start = now - daysOf(posts) * day
  // Steps of equal length, each with its time in the first part, so that a later index has a later time.
  const steps = (kind: string, count: number, from: number, to: number) => (index: number) => {
    const random = new Random(seed, kind, index)
    const time = Math.floor(from + ((to - from) * (index + random.fraction() * 0.8)) / count)
    return { id: v7({ msecs: time, seq: index, random: random.bytes() }), time: new Date(time) }
  }
  return {
    user: steps('user', users, start - joiningDays * day, start - day),
    badge: steps('badge', 100, start - day, start),
    application: steps('application', 100, start - day, start),
    publication: steps('publication', posts, start, now),
    /** An id at a random time since another, or since the first publication. */
    idSince: (random: Random, time = new Date(start)) => {
      const msecs = Math.floor(time.getTime() + random.fraction() * (now - time.getTime()))
      return v7({ msecs, random: random.bytes() })
    },
  }
}

/** Who does what: users are numbers from 0. As in real networks, few users do most. */
export function crowdOf({ users }: Pick<SeedOptions, 'users'>) {
  // The fifth is ada, who is user 0.
  const ranked = (random: Random, power: number) => scattered(random.below(users, power) + 4 * (users - 1), users)
  return {
    /** Draws an author. */
    author: (random: Random) => ranked(random, 1.6),
    /** Draws a user to follow, or one who likes something; a greater power prefers the popular ones. */
    anyone: (random: Random, power: number) => (random.chance(0.55) ? ranked(random, power) : random.below(users)),
  }
}

/**
 * The authors, parents (or -1) and first posts of all publications, which are numbers from 0, oldest first. Most threads are small and
 * last for about a day. In three of seven periods, one is wide, with a thirtieth of all publications directly below its first.
 */
export function layOutThreads({ posts, seed }: SeedOptions, crowd: ReturnType<typeof crowdOf>) {
  const random = new Random(seed, 'threads')
  const [authors, parents, roots] = [new Int32Array(posts), new Int32Array(posts), new Int32Array(posts)]
  const reach = Math.max(10, posts / daysOf(posts) / 2)
  const wide = new Map<number, number>()
  for (let index = 0; index < posts; index++) {
    const period = Math.floor((index * 7) / posts)
    if (!wide.has(period)) wide.set(period, index > 0 ? at(roots, index - 1) : 0)
    const recent = Math.max(0, index - 1 - Math.floor(-Math.log(1 - random.fraction()) * reach))
    let post = recent
    while (post > 0 && at(parents, post) >= 0) post -= 1
    // The newest publications are mostly replies, so that the first page of a timeline has some.
    const isReply = index > 0 && random.chance(index < posts - 30 ? 0.4 : 0.9)
    const inWide = period % 2 === 1 && random.chance(0.5) ? wide.get(period) : undefined
    const parent = isReply ? (inWide ?? (random.chance(0.7) ? post : recent)) : -1
    const root = isReply ? at(roots, parent) : index
    // Whoever started a thread often answers.
    const returns = isReply && authors[parent] !== authors[root] && random.chance(0.4)
    authors[index] = returns ? at(authors, root) : crowd.author(random)
    parents[index] = parent
    roots[index] = root
  }
  return { authors, parents, roots }
}
