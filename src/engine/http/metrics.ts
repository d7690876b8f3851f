import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { z } from 'zod'
import type { Budgets } from '../auth/budgets.ts'
import type { Database } from '../data/database.ts'
import type { KeyedSemaphore } from '../data/keyed-semaphore.ts'
import { countJobs, jobCounts } from '../jobs/jobs.ts'
import type { Surface } from './url.ts'

/** How long a scrape waits for the database, in milliseconds. */
const databaseTimeout = 1_000

/** What the database tells a scrape; undefined if it takes too long. */
function inTime<T>(told: Promise<T>): Promise<T | undefined> {
  const late = sleep(databaseTimeout, undefined, { ref: false })
  return Promise.race([told.catch(() => undefined), late])
}

/** A request and its response. */
type AnsweredRequest = {
  readonly surface: Surface
  /** The name of its operation. Undefined if a client has named it, as there could be any number of names. */
  readonly operation: string | undefined
  readonly status: number
  /** The code of its first error. */
  readonly code: string | undefined
  readonly seconds: number
}

/** What a server counts itself. */
type Counts = {
  readonly slots: Readonly<Record<string, KeyedSemaphore>>
  /** Undefined where rate limits are off. */
  readonly budgets?: Budgets | undefined
  /** What waits for changes, by kind. */
  readonly subscriptions?: Readonly<Record<string, number>>
}

/** A number that the database tells, the same to all processes. */
type StoredGauge = { readonly name: string; readonly help: string; readonly read: () => Promise<number> }

/** The metrics of a process, and of its server, for Prometheus. */
export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]
  #counts: Counts
  readonly #requests = new Counter({
    name: 'rookery_requests_total',
    help: 'Requests, with the status of their responses; 499 if the client left before.',
    labelNames: ['surface', 'operation', 'status'],
    registers: this.#registers,
  })
  readonly #durations = new Histogram({
    name: 'rookery_request_duration_seconds',
    help: 'The time from the headers of a request until its response is known.',
    labelNames: ['surface', 'operation'],
    registers: this.#registers,
  })
  readonly #errors = new Counter({
    name: 'rookery_errors_total',
    help: 'Responses with errors, by the code of the first one.',
    labelNames: ['surface', 'code'],
    registers: this.#registers,
  })
  readonly #statements = new Histogram({
    name: 'rookery_statement_duration_seconds',
    help: 'The time from when a statement is sent until its result.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: this.#registers,
  })
  readonly #batches = new Histogram({
    name: 'rookery_batch_runs',
    help: 'The runs that one statement executes together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: this.#registers,
  })
  /** Ends all observation. */
  readonly close: () => void

  /** Measures a server until it is closed. */
  constructor(
    database: Pick<Database, 'resources' | 'runReserved' | 'instrumentation'>,
    gauges: readonly StoredGauge[] = [],
  ) {
    const { pools, slots } = database.resources
    this.#counts = { slots }
    collectDefaultMetrics({ register: this.registry })
    // The primary process sums it over its workers.
    new Gauge({
      name: 'rookery_processes',
      help: 'Processes that serve.',
      registers: this.#registers,
    }).set(1)
    const connections = new Gauge({
      name: 'rookery_connections',
      help: 'Connections to the database that are open and idle, and what waits for one.',
      labelNames: ['pool', 'state'],
      registers: this.#registers,
      collect: () => {
        for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
          connections.set({ pool, state: 'open' }, totalCount)
          connections.set({ pool, state: 'idle' }, idleCount)
          connections.set({ pool, state: 'waiting' }, waitingCount)
        }
      },
    })
    const held = new Gauge({
      name: 'rookery_slots',
      help: 'Slots in use, and requests queued.',
      labelNames: ['of', 'state'],
      registers: this.#registers,
      collect: () => {
        for (const [of, slots] of Object.entries(this.#counts.slots)) {
          const counts = slots.count()
          held.set({ of, state: 'held' }, counts.held)
          held.set({ of, state: 'waiting' }, counts.waiting)
        }
      },
    })
    const points = new Counter({
      name: 'rookery_points_total',
      help: 'Points that budgets were charged.',
      registers: this.#registers,
      collect: () => {
        points.reset()
        points.inc(this.#counts.budgets?.charged ?? 0)
      },
    })
    const subscriptions = new Gauge({
      name: 'rookery_subscriptions',
      help: 'Streams that are open, and polls that wait for changes.',
      labelNames: ['kind'],
      registers: this.#registers,
      collect: () => {
        for (const [kind, count] of Object.entries(this.#counts.subscriptions ?? {})) subscriptions.set({ kind }, count)
      },
    })
    for (const { name, help, read } of gauges) {
      const gauge = new Gauge({
        name,
        help,
        // All workers see the same.
        aggregator: 'max',
        registers: this.#registers,
        collect: async () => {
          const value = await inTime(read())
          if (value === undefined) gauge.remove()
          else gauge.set(value)
        },
      })
    }
    // Both gauges of a scrape are set from one statement, which the first one sends.
    let counts: Promise<z.infer<typeof jobCounts>> = Promise.resolve([])
    const jobs = new Gauge({
      name: 'rookery_jobs',
      help: 'Background jobs, and how many of them are failing.',
      labelNames: ['kind', 'state'],
      aggregator: 'max',
      registers: this.#registers,
      collect: async () => {
        counts = inTime(database.runReserved(countJobs, [])).then((rows = []) => jobCounts.parse(rows))
        const counted = await counts
        jobs.reset()
        for (const { kind, jobs: all, failing } of counted) {
          jobs.set({ kind, state: 'all' }, all)
          jobs.set({ kind, state: 'failing' }, failing)
        }
      },
    })
    const delays = new Gauge({
      name: 'rookery_job_delay_seconds',
      help: 'For how long the oldest background job of a kind has been due.',
      labelNames: ['kind'],
      aggregator: 'max',
      registers: this.#registers,
      collect: async () => {
        const counted = await counts
        delays.reset()
        for (const { kind, delay } of counted) delays.set({ kind }, delay)
      },
    })
    this.close = database.instrumentation.observe({
      onBatch: (runs) => this.#batches.observe(Number(runs)),
      asyncEnd: ({ since }) => this.#statements.observe((performance.now() - since) / 1_000),
    })
  }

  /** Adds what a server counts to what is measured. */
  add(counts: Counts): void {
    this.#counts = { ...this.#counts, ...counts, slots: { ...this.#counts.slots, ...counts.slots } }
  }

  /** Counts a request. */
  count({ surface, operation = 'other', status, code, seconds }: AnsweredRequest): void {
    this.#requests.inc({ surface, operation, status })
    this.#durations.observe({ surface, operation }, seconds)
    if (code !== undefined) this.#errors.inc({ surface, code })
  }
}
