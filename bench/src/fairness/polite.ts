import { graphql } from '../stress/attack.ts'
import type { Network } from '../stress/network.ts'
import { type Seen, SteadyClient } from '../stress/steady.ts'

const home =
  '{ homeTimeline(first: 20) { nodes { uuid content likeCount author { username } replies(first: 3) { nodes { uuid content author { username } } } } } }'

/** What the polite client does, with the milliseconds from one request to the next. */
const habits = [
  {
    name: 'gets a post',
    interval: 20,
    source: (post: string) => `{ post(uuid: "${post}") { uuid content likeCount author { username } } }`,
  },
  { name: 'reads its home timeline', interval: 25, source: () => home },
  {
    name: 'likes and unlikes a post',
    interval: 40,
    source: (post: string) => `mutation { toggleLike(input: { uuid: "${post}" }) { publication { likeCount } } }`,
  },
] as const

/** What the polite client saw of each of its habits, by name. */
export type PoliteView = ReadonlyMap<string, Seen>

/** A client with its own account that sends about 115 requests a second. */
export class PoliteClient {
  readonly #clients: readonly { readonly name: string; readonly client: SteadyClient }[]

  constructor(origin: string, { politeToken, target }: Network) {
    this.#clients = habits.map(({ name, interval, source }) => {
      return { name, client: new SteadyClient(origin, graphql(source(target.thread), politeToken), interval, 8) }
    })
  }

  /** Sends until another thing is over. */
  async during(other: Promise<unknown>): Promise<PoliteView> {
    const seen = this.#clients.map(async ({ name, client }) => [name, await client.during(other)] as const)
    return new Map(await Promise.all(seen))
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map(({ client }) => client.close()))
  }
}
