import { monitorEventLoopDelay } from 'node:perf_hooks'
import { graphql } from './attack.ts'
import { type Seen, SteadyClient } from './steady.ts'

/** How often health is asked for, and a timeline read, in milliseconds. */
const intervals = { health: 25, polite: 50 } as const

const timeline =
  '{ homeTimeline(first: 20) { nodes { uuid content likeCount author { username } replies(first: 3) { nodes { uuid content author { username } } } } } }'

/** What those saw who do not attack. */
export type Observation = {
  readonly health: Seen
  readonly polite: Seen
  /** How late the event loop of those who measure was at most, in milliseconds: beyond the server's reach. */
  readonly ownDelay: number
}

/** Asks for `/health/live` and reads a home timeline, each at a steady rate. */
export class Watch {
  readonly #health: SteadyClient
  readonly #polite: SteadyClient

  constructor(origin: string, politeToken: string) {
    const live = { method: 'GET', path: '/health/live', headers: {}, body: null } as const
    this.#health = new SteadyClient(origin, live, intervals.health, 4)
    this.#polite = new SteadyClient(origin, graphql(timeline, politeToken), intervals.polite, 8)
  }

  /** Observes the server until another thing is over. */
  async during(other: Promise<unknown>): Promise<Observation> {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const [health, polite] = await Promise.all([this.#health.during(other), this.#polite.during(other)])
    delay.disable()
    return { health, polite, ownDelay: delay.max / 1e6 }
  }

  async close(): Promise<void> {
    await Promise.all([this.#health.close(), this.#polite.close()])
  }
}
