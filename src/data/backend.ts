import type { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import type { Requester } from './requester.ts'

/** Runs one statement with its values and returns its rows. */
export type RunStatement = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

/** A statement with the values of its parameters. */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the statement is built in and stays prepared. */
  readonly isBuiltIn: boolean
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
}

/** A write that may run in a batch. */
export type BatchedWrite = FunctionWrite & { readonly lockKey: string }

/** A row of text columns. */
export type TextRow = Readonly<Record<string, string | null>>

/** A database beneath the Prisma client: its connections and its shutdown. */
export type Backend = {
  readonly adapter: PrismaPg
  /** Runs work on a connection of its own without time limits, for migrations and inspection. */
  onOwnConnection<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>
  /** Runs a statement without the Prisma client, whose overhead is significant for short statements. */
  readonly run: RunStatement
  /** Runs a read, and cancels it when the signal fires. */
  runRead(read: Statement, signal?: AbortSignal): Promise<readonly TextRow[]>
  /** Runs a cheap read in a batch with others of the same text. */
  readonly batchRead: (read: Statement, requester?: Requester) => Promise<readonly TextRow[]>
  /** Runs a cheap write in a batch with others of the same text. Resolves after the commit. */
  readonly batchWrite: (write: BatchedWrite, requester?: Requester) => Promise<readonly TextRow[]>
  /** Runs cheap work when the turn of the requester comes. Throws `UNAVAILABLE` if the queue is full. */
  inCheapTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  /** Runs a statement on the connections reserved for work that must succeed under any load. */
  readonly runReserved: RunStatement
  /** Runs work that needs one connection when the caller's turn comes. Throws `UNAVAILABLE` if the queue is full. */
  inTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  /** The same for work that may wait for locks. At most half of the connections do such work. */
  inLongTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}
