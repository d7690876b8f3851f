import type { SlotLimits } from '../data/slots.ts'
import type { RequestSettings } from '../http/served-request.ts'
import type { HttpLimits } from './connections/http-server.ts'
import type { DemoAccess } from './pages/demo-access.ts'

/** What a server serves. */
export type App = RequestSettings &
  HttpLimits & {
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
