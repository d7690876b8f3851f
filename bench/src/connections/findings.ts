import type { StatementCounts } from '../measuring/check.ts'
import type { Measurements } from '../measuring/measure.ts'
import type { Options } from '../options.ts'
import type { Server } from '../servers/server.ts'
import type { Work } from '../works/work.ts'

/** All that a run found. */
export type Findings = {
  readonly options: Options
  readonly machine: readonly string[]
  readonly servers: readonly Server[]
  readonly works: readonly Work[]
  readonly statements: StatementCounts
  /** The measurements by the number of connections. */
  readonly levels: ReadonlyMap<number, Measurements>
  /** Likes of one post and of many by so many clients. */
  readonly hot: readonly Work[]
  readonly hotClients: number
  readonly hotMeasurements: Measurements
  /** The memory of each server in bytes, when it was ready and at most. */
  readonly ready: ReadonlyMap<string, number | undefined>
  readonly peak: ReadonlyMap<string, number | undefined>
}
