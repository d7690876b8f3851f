import type { Config } from '../config.ts'
import type { SlotLimits } from '../data/slots.ts'
import type { Budgets } from '../domain/budgets.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Log } from '../log.ts'
import type { Service } from '../schema/context.ts'
import type { HttpLimits } from './connections/http-server.ts'
import type { DemoAccess } from './pages/demo-access.ts'

/** What a server serves. */
export type App = Service &
  HttpLimits & {
    readonly log: Log
    /** What is measured; undefined where nothing is. */
    readonly metrics?: Metrics | undefined
    /** What every account and address may spend; undefined where rate limits are off. */
    readonly budgets?: Budgets | undefined
    /** The number of reverse proxies in front, each of which adds to `X-Forwarded-For`. */
    readonly trustedProxies: number
    /** What precedes all paths for clients, as in `Config`. */
    readonly prefix: string
    readonly timeouts: Pick<Config['timeouts'], 'response' | 'delivery'>
    /** The demo, to which browsers of this machine get access. */
    readonly demo?: DemoAccess | undefined
    readonly isStopping?: () => boolean
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
    /** The most requests of an address that are in progress at the same time. */
    readonly requestsPerAddress: number
    /** How many requests of an account are in progress, and how many more wait; by default `requestSlots`. */
    readonly slots?: SlotLimits
  }
