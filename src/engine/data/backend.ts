import type { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import type { Instrumentation, Resources } from './instrumentation.ts'
import type { RequestInfo } from './request-info.ts'

/** Runs one statement with its values and returns its rows. */
export type RunStatement = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

/**
 * When a statement is prepared on a connection: never; when clients repeat it, until others evict it; or always, for built-in ones.
 */
type Preparation = 'never' | 'repeated' | 'always'

/** A statement with the values of its parameters. */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly preparation: Preparation
}

/** A read that was compiled from a selection. */
export type CompiledRead = Statement & {
  /** Whether it is cheap enough to run in a batch with others of the same text. It is not cancelled then. */
  readonly isCheap: boolean
}

/** A write that calls a function of the database. */
export type FunctionWrite = Pick<Statement, 'text' | 'values'> & {
  /**
   * The key of the row that it locks. The writes of a batch run in this order, so that batches never deadlock. Undefined for a write
   * that locks several rows, which never runs in a batch.
   */
  readonly lockKey: string | undefined
  /** What is read in the same round trip, if anything. */
  readonly payload?: PayloadRead | undefined
}

/** A cheap read that is sent together with a write, and sees it. */
export type PayloadRead = Statement & {
  /** Takes its rows, before the write resolves, unless it fails. */
  readonly take: (rows: readonly TextRow[]) => void
}

/** How a statement runs for many rows of parameters at once. */
export type Batching = {
  /** Its text, whose rows also have the number of the row of parameters that they belong to, from 1. */
  text(text: string): string
  values(rows: readonly (readonly unknown[])[]): unknown[][]
  /** The column with that number. */
  readonly rowNumber: string
}

/** A row of text columns. */
export type TextRow = Readonly<Record<string, string | null>>

/** Hints between the processes on a database, which may get lost. */
export type Hints = {
  /** Sends one to all processes, including this one, if it can. */
  give(): Promise<unknown>
  /** Calls a function for each one. Returns what stops that. */
  onEach(listener: () => void): () => void
}

/**
 * A database beneath the Prisma client: its connections and its shutdown. Work for a request waits for a connection within limits, and
 * throws `UNAVAILABLE` beyond them.
 */
export type Backend = {
  /** The schema of its tables, which may not exist yet. */
  readonly schema: string
  readonly adapter: PrismaPg
  /** Runs work on a connection of its own without time limits, for migrations and inspection. */
  onOwnConnection<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>
  /** Runs a read: a cheap one in a batch with others of the same text, another one until its client is gone. */
  read(read: CompiledRead, request?: RequestInfo): Promise<readonly TextRow[]>
  /** Runs a write, in a batch with others of the same text if it has a lock key. Resolves after the commit. */
  write(write: FunctionWrite, request?: RequestInfo): Promise<readonly TextRow[]>
  /** Runs work that needs one connection and is not cheap. It takes at most half of the connections, and fewer for one account. */
  runLimited<T>(request: RequestInfo | undefined, work: () => Promise<T>): Promise<T>
  /** Runs a statement on the connections reserved for work that must succeed under any load. */
  readonly runReserved: RunStatement
  readonly hints: Hints
  /** What statements wait for. */
  readonly resources: Resources
  readonly instrumentation: Instrumentation
  close(): Promise<void>
}
