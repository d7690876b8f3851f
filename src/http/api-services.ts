import type { Budgets } from '../domain/budgets.ts'
import type { ChangeWatch } from '../domain/change-watch.ts'
import type { Documents } from '../execution/documents.ts'
import type { Pipeline } from '../execution/pipeline.ts'
import type { Log } from '../log.ts'
import type { Services } from '../schema/request-context.ts'
import type { Effects } from '../scope-sets.ts'

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
