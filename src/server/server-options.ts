import cluster from 'node:cluster'
import type { Budgets } from '../engine/auth/budgets.ts'
import type { SlotLimits } from '../engine/data/keyed-semaphore.ts'
import type { Services } from '../engine/execution/request-context.ts'
import type { Metrics } from '../engine/http/metrics.ts'
import type { Log } from '../engine/log.ts'
import type { Config } from './config.ts'
import type { DemoAccess } from './pages/page.ts'

/** Whether this process serves alone, starts workers, or is one of them. */
export function roleOf({ workers }: Config): 'alone' | 'primary' | 'worker' {
  if (workers === 1) return 'alone'
  return cluster.isPrimary ? 'primary' : 'worker'
}

/** What is configured of a server. */
type Settings = Pick<
  Config,
  | 'prefix'
  | 'trustedProxies'
  | 'requestsPerAddress'
  | 'headerSize'
  | 'timeouts'
  | 'publicUrl'
  | 'nodeinfo'
  | 'clientMetadataLoopback'
>

/** What a server serves. */
export type ServerOptions = Omit<Services, 'readerOf' | 'isResultHidden' | 'estimates'> &
  Settings & {
    readonly log: Log
    /** What is measured; undefined where nothing is. */
    readonly metrics?: Metrics | undefined
    /** What every account and address may spend; undefined where rate limits are off. */
    readonly budgets?: Budgets | undefined
    /** The demo, to which browsers of this machine get access. */
    readonly demo?: DemoAccess | undefined
    /** Whether the start page introduces this server, and not Rookery. */
    readonly introducesItself?: boolean
    /** Whether other workers are still to start. */
    readonly isStarting?: () => boolean
    readonly isStopping?: () => boolean
    /** Whether the event loop cannot keep up, so that only health checks are served. */
    readonly isBehind?: () => boolean
    /** Whether stored documents are compiled at the start, and not just when they are used. */
    readonly compilesAtStart?: boolean
    /** How many requests of an account are in progress, and how many more wait; by default `requestSlots`. */
    readonly slots?: SlotLimits
  }
