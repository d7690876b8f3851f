import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServerDatabase, onPostgres } from './database.ts'

/** A database that is not made or migrated yet, for commands: the environment that names it, and what removes it. */
export type CommandDatabase = { readonly env: Record<string, string>; remove(): Promise<void> }

/** A new place for a database of its own. */
export async function commandDatabase(): Promise<CommandDatabase> {
  if (onPostgres) {
    const { url, drop } = await createServerDatabase()
    return { env: { DATABASE_URL: url }, remove: drop }
  }
  const folder = await mkdtemp(join(tmpdir(), 'rookery-cli-'))
  return { env: { DATA_DIR: folder, DEMO: 'off' }, remove: () => rm(folder, { recursive: true }) }
}
