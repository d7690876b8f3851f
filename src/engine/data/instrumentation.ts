import { randomUUID } from 'node:crypto'
import { channel, type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel'
import type pg from 'pg'
import type { KeyedSemaphore } from './keyed-semaphore.ts'

/** A statement that was sent to the database; the time is that of `performance.now()`. */
export type SentStatement = { readonly text: string; readonly since: number }

/** What statements wait for: connections and slots, by name. */
export type Resources = {
  readonly pools: Readonly<Record<string, Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>>
  readonly slots: Readonly<Record<string, KeyedSemaphore>>
}

/** What is told the number of runs of each batch, and of each statement from sending until the result. */
type Observer = Partial<TracingChannelSubscribers<SentStatement>> & { readonly onBatch?: (runs: unknown) => void }

const nothing = () => {}
const deaf = { start: nothing, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing }
const textOf = (query: unknown) => (typeof query === 'string' ? query : String(Object(query).text))

/** Publishes what one database does, with its replicas. Without observers, nothing is measured. */
export class Instrumentation {
  // Channels of the same name would be one, and a process can have several databases.
  readonly #name = `rookery:${randomUUID()}`
  readonly batches = channel(`${this.#name}:batch`)
  readonly statements = tracingChannel<unknown, SentStatement>(`${this.#name}:statement`)

  /** Adds an observer. Returns what removes it. */
  observe({ onBatch = nothing, ...subscribers }: Observer): () => void {
    const all = { ...deaf, ...subscribers }
    this.statements.subscribe(all)
    this.batches.subscribe(onBatch)
    return () => {
      this.statements.unsubscribe(all)
      this.batches.unsubscribe(onBatch)
    }
  }

  /** Publishes all statements of a connection. */
  instrument(client: pg.PoolClient): void {
    const { statements } = this
    client.query = new Proxy(client.query, {
      apply: (query, self, args: unknown[]) => {
        if (!statements.hasSubscribers) return Reflect.apply(query, self, args)
        const statement = { text: textOf(args[0]), since: performance.now() }
        const run = (...given: unknown[]) => Reflect.apply(query, self, given)
        return typeof args.at(-1) === 'function'
          ? statements.traceCallback(run, -1, statement, self, ...args)
          : statements.tracePromise(run, statement, self, ...args)
      },
    })
  }
}
