import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One migration: the name of its folder, by which migrations are ordered, and its script. */
export type Migration = { readonly name: string; readonly script: string }

/** The folder of the migrations, whether this runs from the sources, a build or the installed package. */
export const migrationsFolder = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

/** The migrations in a folder of Prisma's layout (`<name>/migration.sql`), oldest first. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => ({ name, script: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  )
}
