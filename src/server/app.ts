import type { Config } from '../config.ts'
import type { SlotLimits } from '../data/slots.ts'
import type { Budgets } from '../domain/budgets.ts'
import type { Log } from '../log.ts'
import type { Service } from '../schema/context.ts'
import type { DemoAccess } from './pages/demo-access.ts'

/** What a listener serves. */
export type App = Service & {
  readonly log: Log
  /** The demo, to which browsers of this machine get access. */
  readonly demo?: DemoAccess | undefined
  /** What every account and address may spend; undefined where rate limits are off. */
  readonly budgets?: Budgets | undefined
  readonly isStopping?: () => boolean
  /** The number of reverse proxies in front, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** Whether the event loop cannot keep up, so that only health checks are served. */
  readonly isBehind?: () => boolean
  /** Whether only stored GraphQL documents are run; by default all are. */
  readonly onlyTrustedDocuments?: boolean
  /** Whether stored documents are compiled at the start, and not just when they are used. */
  readonly compilesAtStart?: boolean
  /** Whether browsers get GraphiQL; by default they do. */
  readonly graphiql?: boolean
  /** Whether clients may read the GraphQL schema; by default they may. */
  readonly introspection?: boolean
  readonly timeouts: Pick<Config['timeouts'], 'response' | 'delivery'>
  /** The most requests of an address that are in progress at the same time. */
  readonly requestsPerAddress: number
  /** How many requests of an account are in progress, and how many more wait; by default `requestSlots`. */
  readonly slots?: SlotLimits
}
