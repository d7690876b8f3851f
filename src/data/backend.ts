import type { SqlMigrationAwareDriverAdapterFactory, SqlQueryable } from '@prisma/driver-adapter-utils'
import type { Requester } from './fair-queue.ts'

/** One connection inside a transaction that no other process migrates beside. Its methods stand by themselves. */
export type MigrationConnection = SqlQueryable & {
  /** Runs all the statements of a script. */
  executeScript(script: string): Promise<void>
}

/** A database as far as migrating it is concerned. */
export type MigrationTarget = {
  /** For plain reads, before there is a need to change anything. */
  readonly queryable: SqlQueryable
  /** Runs `work` while no other process migrates this database, in one transaction: all of it happens or nothing. */
  exclusively<T>(work: (connection: MigrationConnection) => Promise<T>): Promise<T>
}

/** Runs one statement with its values, and answers its rows. */
export type RunStatement = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

/** A statement that clients composed. One of the program's own documents is `isOwn`, and stays prepared. */
export type ComposedRead = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly isOwn: boolean
}

/** A database under the Prisma client: how the client reaches it, how it is migrated, and how it is let go. */
export type Backend = MigrationTarget & {
  readonly adapter: SqlMigrationAwareDriverAdapterFactory
  /** Runs a statement without the client, which has its share in what a short statement costs. */
  readonly run: RunStatement
  /** Runs a read, which is cancelled when the signal fires. */
  runRead<Row extends object>(read: ComposedRead, signal?: AbortSignal): Promise<Row[]>
  /** Runs a statement on connections that are kept for what has to work while all others are busy. */
  readonly runReserved: RunStatement
  /** Does something that takes one connection when the turn of who asks has come. Throws `UNAVAILABLE` when too much waits. */
  inTurn<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The queries of a driver adapter, with `executeScript` to run whole scripts. */
export function migrationConnection(
  queryable: SqlQueryable,
  executeScript: (script: string) => Promise<unknown>,
): MigrationConnection {
  return {
    provider: queryable.provider,
    adapterName: queryable.adapterName,
    queryRaw: (query) => queryable.queryRaw(query),
    executeRaw: (query) => queryable.executeRaw(query),
    executeScript: async (script) => {
      await executeScript(script)
    },
  }
}
