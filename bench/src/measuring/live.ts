import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Viewer } from '../database/sample.ts'
import type { Options } from '../options.ts'
import type { Running } from '../servers/server.ts'
import { sentText } from '../works/writes.ts'
import { percentile } from './statistics.ts'

/** How long the events of one server took in all rounds, in milliseconds from when their post was sent. */
export type Live = { readonly server: string; readonly p50: number; readonly p99: number; readonly events: number }

/** The pause between two posts, how many streams open at the same time, and how long the last events may take, in milliseconds. */
const [pause, openedAtOnce, patience] = [250, 50, 30_000] as const

const query = `subscription { changes(of: { public: true }) {
  uuid publication { content createdAt viewerHasLiked author { uuid username displayName } } } }`

type Post = { readonly uuid: string; readonly sent: number }

/** Subscribers to all posts, on connections of their own. */
class Subscribers {
  readonly #agent = new Agent({ bodyTimeout: 0 })
  readonly #origin: string
  /** What each has got, with the time. */
  readonly #seen: (readonly [uuid: string, time: number])[][] = []

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Opens a stream, and resolves when it has begun. */
  async open({ token }: Viewer): Promise<void> {
    const { body } = await request(`${this.#origin}/graphql`, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query }),
    })
    const seen: [string, number][] = []
    this.#seen.push(seen)
    let rest = ''
    await new Promise<void>((resolve, reject) => {
      body.on('error', reject).on('data', (chunk: Buffer) => {
        const events = (rest + chunk).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          if (event.includes('"errors"')) body.destroy(new Error(`A stream ended with ${event}`))
          const [, uuid] = /"uuid":"([^"]+)"/.exec(event) ?? []
          if (uuid !== undefined) seen.push([uuid, performance.now()])
        }
        // It begins with a comment.
        resolve()
      })
    })
  }

  /** Waits until all have got these posts, and returns how long each took. Throws unless all got each of them once, in order. */
  async latencies(posts: readonly Post[]): Promise<number[]> {
    const until = performance.now() + patience
    while (performance.now() < until && this.#seen.some(({ length }) => length < posts.length)) await sleep(20)
    return this.#seen.flatMap((seen) => {
      const isRight = seen.length === posts.length && seen.every(([uuid], nth) => uuid === posts[nth]?.uuid)
      if (!isRight) throw new Error(`A stream got ${seen.length} events instead of the ${posts.length} posts in order`)
      return posts.map(({ sent }, nth) => (seen[nth]?.[1] ?? Number.NaN) - sent)
    })
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

async function post(origin: string, { token }: Viewer): Promise<Post> {
  const sent = performance.now()
  const response = await fetch(`${origin}/api/v1/post`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: `${sentText}, to subscribers.` }),
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`A post was answered with ${JSON.stringify(answer)}`)
  return { uuid: String(Object(answer).uuid), sent }
}

/** One round with one server. The streams open before anything is written. */
async function round({ origin }: Running, viewers: readonly Viewer[], options: Options): Promise<number[]> {
  const subscribers = new Subscribers(origin)
  const [writer] = viewers
  if (!writer) throw new Error('The data are too small for subscribers.')
  try {
    const readers = Array.from({ length: options.subscribers }, (_, nth) => viewers[nth % viewers.length] ?? writer)
    while (readers.length > 0)
      await Promise.all(readers.splice(0, openedAtOnce).map((viewer) => subscribers.open(viewer)))
    const posts: Post[] = []
    const end = performance.now() + options.seconds * 1_000
    do {
      const next = sleep(pause)
      posts.push(await post(origin, writer))
      await next
    } while (performance.now() < end)
    return await subscribers.latencies(posts)
  } finally {
    await subscribers.close()
  }
}

/** Measures how long posts of one writer take to subscribers; the servers take turns. */
export async function measureLive(
  servers: readonly Running[],
  viewers: readonly Viewer[],
  options: Options,
): Promise<Live[]> {
  const found = new Map<string, number[]>()
  for (let nth = 1; nth <= options.rounds; nth++) {
    process.stdout.write(`Live, round ${nth} of ${options.rounds}…\n`)
    for (let turn = 0; turn < servers.length; turn++) {
      const running = servers[(turn + nth) % servers.length]
      if (!running) continue
      const { name } = running.server
      found.set(name, [...(found.get(name) ?? []), ...(await round(running, viewers, options))])
    }
  }
  return [...found].map(([server, times]) => {
    const sorted = Float64Array.from(times).sort()
    return { server, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), events: times.length }
  })
}
