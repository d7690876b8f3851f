import { channel, type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel'
import type pg from 'pg'
import type { Slots } from './slots.ts'

/** A statement that was sent to the database; the time is that of `performance.now()`. */
export type SentStatement = { readonly text: string; readonly since: number }

const statements = tracingChannel<unknown, SentStatement>('rookery:statement')

/** Publishes the number of runs of each batch. */
export const batches = channel('rookery:batch')

/** What statements wait for: connections and slots, by name. */
export type Resources = {
  readonly pools: Readonly<Record<string, Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>>
  readonly slots: Readonly<Record<string, Slots>>
}

const nothing = () => {}

/** Subscribes to all statements, from sending until the result. Returns what unsubscribes. Without subscribers, nothing is measured. */
export function onStatements(subscribers: Partial<TracingChannelSubscribers<SentStatement>>): () => void {
  const others = { start: nothing, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing }
  const all = { ...others, ...subscribers }
  statements.subscribe(all)
  return () => statements.unsubscribe(all)
}

const textOf = (query: unknown) => (typeof query === 'string' ? query : String(Object(query).text))

/** Publishes all statements of a connection. */
export function instrument(client: pg.PoolClient): void {
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
