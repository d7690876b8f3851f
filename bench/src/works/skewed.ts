import type { Sample } from '../database/sample.ts'
import { postWorks } from './reads.ts'
import type { Call, Work } from './work.ts'
import { likeWorks } from './writes.ts'

/** The exponent of Zipf's law; with 1, each post gets half as many requests as the one of half its rank. */
const exponent = 1
const draws = 4_000

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random requests for posts of which few are asked for often, each by a random viewer. */
function skewedCalls({ viewers }: Sample, uuids: readonly string[]): Call[] {
  const random = seededRandom(2021)
  const sums: number[] = []
  for (const [rank] of uuids.entries()) sums.push((sums.at(-1) ?? 0) + 1 / (rank + 1) ** exponent)
  const total = sums.at(-1) ?? 0
  return Array.from({ length: draws }, () => {
    const drawn = random() * total
    const uuid = uuids[sums.findIndex((sum) => sum > drawn)]
    const viewer = viewers[Math.floor(random() * viewers.length)]
    return viewer && uuid ? [{ viewer, variables: { uuid } }] : []
  }).flat()
}

/** The same works with other calls. */
function withCalls(works: readonly Work[], calls: readonly Call[], name: string, about: string): Work[] {
  return works.map((work) => ({ ...work, name: `${work.name}-${name}`, about: `${work.about}, ${about}`, calls }))
}

/** Reads and likes of posts by Zipf's law. */
export function skewedWorks(sample: Sample): Work[] {
  const unliked = sample.unliked.map(({ publication }) => publication)
  const about = 'posts by Zipf’s law'
  return [
    ...withCalls(postWorks(sample), skewedCalls(sample, sample.publications), 'skewed', about),
    ...withCalls(likeWorks(sample), skewedCalls(sample, unliked), 'skewed', about),
  ]
}

/** Likes of a single post by so many viewers. */
export function hotWorks(sample: Sample, viewers: number): Work[] {
  const [first] = sample.unliked
  const calls = sample.viewers.slice(0, viewers).flatMap((viewer): Call[] => {
    return first ? [{ viewer, variables: { uuid: first.publication } }] : []
  })
  return withCalls(likeWorks(sample), calls, 'hot', 'one post')
}
