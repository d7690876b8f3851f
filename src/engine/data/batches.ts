import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Batching, PayloadRead, Statement, TextRow } from './backend.ts'
import type { Instrumentation } from './instrumentation.ts'
import { tooBusy } from './request-info.ts'
import { isLockTimeout, mayRunApart } from './unavailable.ts'

/** A statement parameter with its type. The type must be a scalar, because `unnest` flattens nested arrays. */
const parameter = /\$(\d+)::([a-z]+)\b(?!\[)/g

/** How many statements keep their loader and their text for batches. */
const knownTexts = 256

/** What was made of each text, by the lock timeout. All databases share it, because it depends on nothing else. */
const wrapped = new LRUCache<string, Map<number | undefined, string>>({ max: knownTexts })

/** The column with the number of the parameter row that a result belongs to, starting at 1. */
const rowNumberColumn = '$row'

/**
 * Wraps a statement so that it runs for many rows of parameters, passed as one array for each parameter. Each parameter of the inner
 * statement must have a scalar type cast, such as `$1::uuid`. With a lock timeout, in milliseconds, it waits no longer for a lock.
 */
export function batchedText(text: string, lockTimeout?: number): string {
  const known = wrapped.get(text) ?? new Map<number | undefined, string>()
  if (known.size === 0) wrapped.set(text, known)
  const made = known.get(lockTimeout) ?? wrap(text, lockTimeout)
  known.set(lockTimeout, made)
  return made
}

function wrap(text: string, lockTimeout: number | undefined): string {
  const types = new Map<number, string>()
  const inner = text.replace(parameter, (_, number: string, type: string) => {
    types.set(Number(number), type)
    return `batch.p${number}`
  })
  const numbers = [...types.keys()].sort((a, b) => a - b)
  const columns = numbers.map((number) => `p${number}`)
  const [first = '', ...others] = numbers.map((number) => `$${number}::${types.get(number)}[]`)
  // The arguments of unnest are evaluated before the first row. The setting ends with the transaction.
  const begin = `case when set_config('lock_timeout', '${lockTimeout}', true) is not null then ${first} end`
  const arrays = [lockTimeout === undefined ? first : begin, ...others]
  return `select batch.row_number::text as "${rowNumberColumn}", answer.*
    from unnest(${arrays.join(', ')}) with ordinality batch(${[...columns, 'row_number'].join(', ')})
    cross join lateral (${inner}) answer`
}

/** The values of many rows of parameters, as one array for each parameter. */
export function batchedValues(rows: readonly (readonly unknown[])[]): unknown[][] {
  const [first = []] = rows
  return first.map((_, index) => rows.map((values) => values[index]))
}

/** How compiled statements run for many rows of parameters. */
export const batching: Batching = { text: batchedText, values: batchedValues, rowNumber: rowNumberColumn }

/** A row of a batched statement, with the position of its run. */
export type BatchRow = TextRow & { readonly [rowNumberColumn]?: string | null }

/** The statement for runs of one text, of which this is one. A single one without a lock timeout stays as it is. */
function together(one: Statement, runs: readonly Statement[], lockTimeout?: number): Statement {
  if (runs.length === 1 && lockTimeout === undefined) return one
  const values = batchedValues(runs.map((run) => run.values))
  return { text: batchedText(one.text, lockTimeout), values, preparation: one.preparation }
}

/** The rows of each run. */
export function rowsOfRuns(rows: readonly BatchRow[], runs: number): TextRow[][] {
  const results = Array.from({ length: runs }, (): TextRow[] => [])
  for (const { [rowNumberColumn]: rowNumber = 1, ...row } of rows) results[Number(rowNumber) - 1]?.push(row)
  return results
}

/** One run of a statement; of a write with the key of the row that it locks, and what is read with it. */
type Run = Statement & { readonly lockKey?: string; readonly payload?: PayloadRead | undefined }

type Rows = readonly TextRow[]
type WaitingRun = Run & { readonly since: number }

/** The rows of each run, in a promise of its own, because the runs of a batch that failed end at different times. */
type Results = Map<Run, Promise<Rows>>

type BatchSizes = { readonly atOnce: number; readonly batchSize: number }

/** Executes a statement, and reads that see it. */
type Execute = (statement: Statement, reads: readonly PayloadRead[]) => Promise<readonly BatchRow[]>

/** The number of batches of one text at a time, of all runs in progress, and how long a run waits, in milliseconds. */
export const batchLimits = { batchesOfText: 2, runs: 1_000, waitTimeout: 2_000 } as const

/**
 * The time limits of a lock, in milliseconds: at first, when a locked row delays the writes to others too, and for writes to one row that
 * run apart from others after that.
 */
const lockTimeouts = { together: 200, apart: 800 } as const

/**
 * Runs statements with the same text together, across all requests of the process. An idle server adds no delay, and a busy one makes
 * larger batches. When a batch fails, its runs are repeated: each alone, or after a lock timeout those of each row.
 */
export class Batches {
  readonly #execute: Execute
  readonly #instrumentation: Instrumentation
  readonly #batchSize: number
  readonly #executions: LimitFunction
  readonly #repeats: LimitFunction
  readonly #loaders = new LRUCache<string, DataLoader<WaitingRun, Promise<Rows>>>({ max: knownTexts })
  /** The repeated writes that wait for a locked row, by its key. */
  readonly #locked = new Map<string, Promise<unknown>>()
  #runs = 0

  /** `atOnce` is the maximum number of batches of all texts at a time. About as many repeated ones may run besides. */
  constructor(execute: Execute, instrumentation: Instrumentation, { atOnce, batchSize }: BatchSizes) {
    this.#execute = execute
    this.#instrumentation = instrumentation
    this.#batchSize = batchSize
    this.#executions = pLimit(atOnce)
    this.#repeats = pLimit(Math.max(1, atOnce - 1))
  }

  /**
   * Runs a statement, alone or in a batch. A read sees all writes that were committed before. Throws `UNAVAILABLE` if it waits for
   * too long.
   */
  async run(run: Run): Promise<Rows> {
    if (this.#runs >= batchLimits.runs) throw tooBusy()
    this.#runs += 1
    try {
      if (this.#locked.size > 0) await this.#untilUnlocked(run.lockKey)
      return await this.#loaderOf(run.text).load({ ...run, since: performance.now() })
    } finally {
      this.#runs -= 1
    }
  }

  #loaderOf(text: string): DataLoader<WaitingRun, Promise<Rows>> {
    const known = this.#loaders.get(text)
    if (known) return known
    const slots = pLimit(batchLimits.batchesOfText)
    let batch: Promise<unknown> | undefined
    const runBatch = async (dispatch: () => void) => {
      // Other requests of the same tick may add runs.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      dispatch()
      await Promise.allSettled([batch])
      batch = undefined
    }
    const loader = new DataLoader<WaitingRun, Promise<Rows>>(
      (runs) => {
        const results = this.#executions(async () => {
          const earliest = performance.now() - batchLimits.waitTimeout
          // In the order of their lock keys, so that batches never deadlock.
          const inTime = runs.filter(({ since }) => since >= earliest).sort(byLockKey)
          const started = await this.#start(inTime)
          return runs.map((run) => started.get(run) ?? tooBusy())
        })
        batch = results
        return results
      },
      {
        cache: false,
        maxBatchSize: this.#batchSize,
        batchScheduleFn: (dispatch) => void slots(runBatch, dispatch),
      },
    )
    this.#loaders.set(text, loader)
    return loader
  }

  /**
   * Executes runs together; `isApart` tells that they wait for one locked row. Throws the error of all of them, if it makes no
   * sense to repeat them.
   */
  async #start(runs: readonly Run[], isApart = false): Promise<Results> {
    const [first] = runs
    if (first === undefined) return new Map()
    this.#instrumentation.batches.publish(runs.length)
    const { lockKey } = first
    const lockTimeout = lockKey === undefined ? undefined : lockTimeouts[isApart ? 'apart' : 'together']
    try {
      const rows = rowsOfRuns(await this.#execute(together(first, runs, lockTimeout), payloadsOf(runs)), runs.length)
      return new Map(runs.map((run, index) => [run, Promise.resolve(rows[index] ?? [])]))
    } catch (error) {
      const isLocked = isLockTimeout(error)
      if (isLocked ? isApart : runs.length === 1 || !mayRunApart(error)) throw error
      const parts = isLocked ? byRow(runs) : runs.map((run) => [run])
      return new Map(parts.flatMap((part) => [...this.#repeat(part, isLocked)]))
    }
  }

  #repeat(runs: readonly Run[], isLocked: boolean): Results {
    const key = isLocked ? runs[0]?.lockKey : undefined
    const latest = performance.now() + batchLimits.waitTimeout
    const start = () => (performance.now() > latest ? Promise.reject(tooBusy()) : this.#start(runs, isLocked))
    const results = this.#untilUnlocked(key).then(() => this.#repeats(start))
    if (key !== undefined) {
      this.#locked.set(key, results)
      const forget = () => {
        if (this.#locked.get(key) === results) this.#locked.delete(key)
      }
      results.then(forget, forget)
    }
    return new Map(runs.map((run) => [run, results.then((all) => all.get(run) ?? [])]))
  }

  /** Waits for the repeated writes to a row. Throws their error if they could not lock it. */
  async #untilUnlocked(key: string | undefined): Promise<void> {
    if (key === undefined) return
    await this.#locked.get(key)?.catch((error: unknown) => {
      if (isLockTimeout(error)) throw error
    })
  }
}

/** The reads of the payloads of a batch, together where they have the same text. */
function payloadsOf(runs: readonly Run[]): readonly PayloadRead[] {
  const all = runs.flatMap(({ payload }) => payload ?? [])
  const firsts = new Map(all.map((payload) => [payload.text, payload]))
  return [...firsts.values()].map((first) => {
    const payloads = all.filter(({ text }) => text === first.text)
    const take = (rows: readonly BatchRow[]) => {
      for (const [index, own] of rowsOfRuns(rows, payloads.length).entries()) payloads[index]?.take(own)
    }
    return { ...together(first, payloads), take }
  })
}

/** The runs that lock the same row together. */
function byRow(runs: readonly Run[]): readonly (readonly Run[])[] {
  const keys = new Set(runs.map(({ lockKey }) => lockKey))
  return [...keys].map((key) => runs.filter(({ lockKey }) => lockKey === key))
}

const byLockKey = ({ lockKey: one = '' }: Run, { lockKey: other = '' }: Run) => (one < other ? -1 : one > other ? 1 : 0)
