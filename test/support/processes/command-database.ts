import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../../src/engine/data/database.ts'
import { createLog } from '../../../src/engine/log.ts'
import { databaseOptions, readConfig } from '../../../src/server/config.ts'
import type { ServerOptions } from '../../../src/server/server-options.ts'
import { startApp, type TestApp } from '../app.ts'
import { createServerDatabase, onPostgres } from '../database.ts'

/** A database for commands that does not exist yet or is not migrated: the environment that names it, and how to remove it. */
export type CommandDatabase = {
  readonly env: Record<string, string>
  /** Serves it in this process. Commands then use an embedded database that is open, which is faster than opening it for each. */
  serve(settings?: Partial<ServerOptions>): Promise<TestApp>
  /** Opens it. No command may be running. */
  use(work: (database: Database) => Promise<unknown>): Promise<void>
  remove(): Promise<void>
}

async function use(env: Record<string, string>, work: (database: Database) => Promise<unknown>): Promise<void> {
  const database = await openDatabase(databaseOptions(readConfig(env), 'command'), createLog('silent'))
  await work(database).finally(() => database.close())
}

function serve(env: Record<string, string>, settings?: Partial<ServerOptions>): Promise<TestApp> {
  return startApp(settings, (log) => openDatabase(databaseOptions(readConfig(env), 'server'), log))
}

/** Reserves a folder or a name for a new database. */
export async function commandDatabase(): Promise<CommandDatabase> {
  if (onPostgres) {
    const { url, drop } = await createServerDatabase()
    const env = { DATABASE_URL: url }
    return { env, serve: (settings) => serve(env, settings), use: (work) => use(env, work), remove: drop }
  }
  const folder = await mkdtemp(join(tmpdir(), 'rookery-cli-'))
  const env = { DATA_DIR: folder, DEMO: 'off' }
  const remove = () => rm(folder, { recursive: true })
  return { env, serve: (settings) => serve(env, settings), use: (work) => use(env, work), remove }
}
