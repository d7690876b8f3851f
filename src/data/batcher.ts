import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Statement, TextRow } from './backend.ts'
import { type BatchLimits, BatchQueue, type Job, mayStart } from './batch-queue.ts'
import { batchedText, batchedValues, rowNumberColumn } from './batched-statement.ts'
import type { Requester } from './requester.ts'

/** A row of a batch, with the position of its run. */
type BatchRow = TextRow & { readonly [rowNumberColumn]?: string | null }

/** One run of a statement; of a write with the key of the row that it locks first. */
type Run = Statement & { readonly lockKey?: string }

type Rows = readonly TextRow[]
type RunJob = Job<Run, Rows>

/** The database access and the limits of a batcher. The limits hold for each text. */
export type BatcherOptions = BatchLimits & {
  readonly execute: (statement: Statement) => Promise<readonly BatchRow[]>
  /** Whether a statement that failed with this error applied nothing because of a time limit. */
  readonly hasTimedOut: (error: unknown) => boolean
  /** Whether a batch that failed with this error applied nothing, and most of its runs would succeed alone. */
  readonly mayRunAlone: (error: unknown) => boolean
  /** Whether a statement that failed with this error may succeed when repeated. */
  readonly isTransient: (error: unknown) => boolean
  /** Limits the running executions of all texts, together with those of other batchers. */
  readonly executions: LimitFunction
  /** The maximum number of them that repeat parts of failed batches. */
  readonly repeated: number
}

/** The maximum number of attempts after a conflict with another statement. */
const attempts = 3

/** How many keys of locked rows are remembered, and for how many milliseconds after a time limit. */
const lockedKeys = { max: 1_000, ttl: 30_000 } as const

/**
 * Batches statements with the same text across all requests of the process. An idle server adds no delay, and a busy one makes larger
 * batches. The runs of a batch that fails are repeated: alone, or after a time limit apart from those that lock another row. While a
 * row is locked by something else, the writes that wait for it therefore delay no others.
 */
export class Batcher {
  readonly #options: BatcherOptions
  readonly #queues = new Map<string, BatchQueue<Run, Rows>>()
  /** The keys of rows whose writes are not batched with others, because one has met a time limit. */
  readonly #locked = new LRUCache<string, true>(lockedKeys)
  readonly #alone: BatchQueue<Run, Rows>
  readonly #repeated: LimitFunction

  constructor(options: BatcherOptions) {
    this.#options = options
    this.#repeated = pLimit(options.repeated)
    const limits = { ...options, batchSize: 1, inProgress: options.repeated }
    this.#alone = new BatchQueue(
      limits,
      (jobs) => this.#repeated(() => this.#start(jobs)),
      () => undefined,
    )
  }

  /**
   * Runs a statement, alone or in a batch. Its snapshot starts after this call. Rejects with `UNAVAILABLE` if it waits for too long, or
   * if its client has disconnected before it starts.
   */
  run(input: Run, requester?: Requester): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#queueOf(input).add({ input, requester, since: performance.now(), resolve, reject })
    })
  }

  #queueOf({ text, lockKey }: Run): BatchQueue<Run, Rows> {
    const isApart = lockKey !== undefined && this.#locked.size > 0 && this.#locked.has(lockKey)
    const name = isApart ? `${lockKey} ${text}` : text
    const known = this.#queues.get(name)
    if (known) return known
    const limits = isApart ? { ...this.#options, inProgress: 1 } : this.#options
    const run = (jobs: readonly RunJob[]) => (isApart ? this.#repeated(() => this.#start(jobs)) : this.#start(jobs))
    const queue = new BatchQueue<Run, Rows>(limits, run, () => {
      if (this.#queues.get(name) === queue) this.#queues.delete(name)
    })
    this.#queues.set(name, queue)
    return queue
  }

  /** Runs those of the jobs that may still start when there is a connection for them. */
  #start(jobs: readonly RunJob[]): Promise<void> {
    return this.#options.executions(async () => {
      const left = jobs.filter((job) => mayStart(job, this.#options.waitTimeout))
      const [first] = left
      if (left.length > 1) await this.#runBatch(left)
      else if (first) await this.#runAlone(first.input).then(first.resolve, first.reject)
    })
  }

  async #runBatch(jobs: readonly RunJob[]): Promise<void> {
    const ordered = [...jobs].sort(byLockKey)
    try {
      const rows = await this.#options.execute(asBatch(ordered.map(({ input }) => input)))
      const answers = ordered.map((): TextRow[] => [])
      for (const { [rowNumberColumn]: rowNumber, ...row } of rows) answers[Number(rowNumber) - 1]?.push(row)
      for (const [index, { input, resolve }] of ordered.entries()) {
        this.#forget(input)
        resolve(answers[index] ?? [])
      }
    } catch (error) {
      this.#repeat(ordered, error)
    }
  }

  /** Repeats the runs of a batch that failed, if they may succeed apart from one another. */
  #repeat(jobs: readonly RunJob[], error: unknown): void {
    const hasTimedOut = this.#options.hasTimedOut(error)
    const waitedForOneRow = hasTimedOut && new Set(jobs.map(({ input }) => input.lockKey ?? input)).size === 1
    for (const job of jobs) {
      if (hasTimedOut) this.#remember(job.input)
      if (waitedForOneRow || !(hasTimedOut || this.#options.mayRunAlone(error))) {
        job.reject(error)
        continue
      }
      const queue = hasTimedOut && job.input.lockKey !== undefined ? this.#queueOf(job.input) : this.#alone
      queue.add({ ...job, since: performance.now() })
    }
  }

  /** Runs one statement alone, so that its error does not fail the others. */
  async #runAlone(run: Run): Promise<Rows> {
    const { text, values, isBuiltIn } = run
    for (let attempt = 1; ; attempt += 1) {
      try {
        const rows = await this.#options.execute({ text, values, isBuiltIn })
        this.#forget(run)
        return rows
      } catch (error) {
        if (this.#options.hasTimedOut(error)) this.#remember(run)
        if (attempt === attempts || !this.#options.isTransient(error)) throw error
      }
    }
  }

  #remember({ lockKey }: Run): void {
    if (lockKey !== undefined) this.#locked.set(lockKey, true)
  }

  #forget({ lockKey }: Run): void {
    if (lockKey !== undefined && this.#locked.size > 0) this.#locked.delete(lockKey)
  }
}

function asBatch(runs: readonly Run[]): Statement {
  const [first] = runs
  return {
    text: batchedText(first?.text ?? ''),
    values: batchedValues(runs.map(({ values }) => values)),
    isBuiltIn: runs.some(({ isBuiltIn }) => isBuiltIn),
  }
}

const byLockKey = ({ input: { lockKey: one = '' } }: RunJob, { input: { lockKey: other = '' } }: RunJob) =>
  one < other ? -1 : one > other ? 1 : 0
