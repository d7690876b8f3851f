import type { Crowd } from './crowd.ts'
import { at, Random } from './random.ts'
import type { NetworkSize } from './seed-options.ts'
import { daysOf } from './timeline.ts'

/** The authors and parents of all publications, which are numbers from 0, oldest first. */
export type Threads = {
  readonly authors: Int32Array
  /** The publication that it replies to, or -1. */
  readonly parents: Int32Array
  /** The first publication of its thread. */
  readonly roots: Int32Array
  /** How many replies its thread had before it. */
  readonly places: Int32Array
  /** 1 if it is locked. */
  readonly locked: Uint8Array
}

const replyShare = 0.4
// The newest publications are mostly replies, so that the first page of a timeline has some.
const newest = { count: 30, replyShare: 0.8 }
const lockedShare = 0.015
const livelyShare = 0.25
const wideStarts = [0.15, 0.45, 0.75]

/**
 * Generates all threads. Most are small, last for about a day, and belong to one post in four. Three are wide: in a large network, each
 * has a thirtieth of all publications, directly below the first. A few are deep, where two people reply to each other many times.
 */
export function layOutThreads({ posts, seed }: Pick<NetworkSize, 'posts' | 'seed'>, crowd: Crowd): Threads {
  const random = new Random(seed, 'threads')
  const numbers = () => new Int32Array(posts)
  const locked = new Uint8Array(posts)
  const threads = { authors: numbers(), parents: numbers(), roots: numbers(), places: numbers(), locked }
  const choose = parentChooser(threads, random)
  const sizes = numbers()
  for (let index = 0; index < posts; index++) {
    const share = index < posts - newest.count ? replyShare : newest.replyShare
    const parent = random.chance(share) ? choose(index) : -1
    const root = parent < 0 ? index : at(threads.roots, parent)
    threads.parents[index] = parent
    threads.roots[index] = root
    if (parent < 0) {
      threads.authors[index] = crowd.author(random, index / posts)
      locked[index] = random.chance(lockedShare) ? 1 : 0
    } else {
      threads.authors[index] = replier(threads, parent, crowd, random)
      threads.places[index] = at(sizes, root)
      sizes[root] = at(sizes, root) + 1
    }
  }
  return threads
}

// A locked post has no replies, so it must never be drawn as a parent.
function parentChooser({ roots, parents, locked }: Threads, random: Random): (index: number) => number {
  const count = roots.length
  const starts = wideStarts.map((start) => Math.floor(start * count))
  const reach = Math.max(10, (count / daysOf(count)) * 0.5)
  const lively = Uint8Array.from({ length: count }, () => (random.chance(livelyShare) ? 1 : 0))
  const wide = { root: -1, left: 0 }
  const talk = { tip: -1, left: 0 }

  const recent = (index: number): number => {
    let found = index - 1 - Math.floor(-Math.log(1 - random.fraction()) * reach)
    while (found >= 0 && locked[found] === 1) found -= 1
    return found
  }
  const recentRoot = (index: number): number => roots[recent(index)] ?? -1
  const nearestPost = (from: number): number => {
    let root = from
    while (root >= 0 && (at(parents, root) >= 0 || lively[root] === 0 || locked[root] === 1)) root -= 1
    return root
  }
  return (index) => {
    if (starts[0] !== undefined && index > starts[0]) {
      const root = nearestPost(index - 1)
      if (root >= 0) Object.assign(wide, { root, left: Math.floor(count / (count < 100_000 ? 50 : 30)) })
      starts.shift()
    }
    if (wide.left > 0 && random.chance(0.5)) {
      wide.left -= 1
      return wide.root
    }
    if (random.chance(0.12)) {
      if (talk.left === 0) {
        talk.tip = recentRoot(index)
        talk.left = 6 + random.skewed(Math.min(60, count / 30), 2)
      }
      const parent = talk.tip
      talk.tip = parent < 0 ? -1 : index
      talk.left = parent < 0 ? 0 : talk.left - 1
      return parent
    }
    if (random.chance(0.55)) return nearestPost(recent(index))
    return random.chance(0.6) ? recentRoot(index) : recent(index)
  }
}

function replier({ authors, parents, roots }: Threads, parent: number, crowd: Crowd, random: Random): number {
  const answered = at(authors, parent)
  const grandparent = at(parents, parent)
  if (grandparent >= 0) {
    const before = at(authors, random.chance(0.75) ? grandparent : at(roots, parent))
    if (before !== answered && random.chance(0.65)) return before
  }
  for (let attempt = 0; attempt < 20; attempt++) {
    const author = crowd.author(random, parent / authors.length)
    if (author !== answered) return author
  }
  return answered
}
