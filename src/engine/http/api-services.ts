import type { Budgets } from '../auth/budgets.ts'
import type { ChangeWatch } from '../data/change-watch.ts'
import type { Documents } from '../execution/documents.ts'
import type { Pipeline } from '../execution/pipeline.ts'
import type { Services } from '../execution/request-context.ts'
import type { Log } from '../log.ts'
import type { Effects } from '../scopes.ts'

/** What both APIs are served with. */
export type ApiServices = Services & {
  /** Undefined where rate limits are off. */
  readonly budgets?: Budgets | undefined
  readonly documents: Documents
  readonly effects: Effects
  readonly pipeline: Pipeline
  readonly watch: ChangeWatch
  readonly log: Log
  /** What precedes all paths for clients, as in `Config`. */
  readonly prefix: string
}
