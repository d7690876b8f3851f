import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../package.ts'

/** A migration: the name of its folder, which determines the order, and its script. */
export type Migration = { readonly name: string; readonly script: string }

/** The migrations folder. */
export const migrationsFolder = join(packageFolder, 'prisma/migrations')

/** Reads the migrations in a folder with Prisma's layout (`<name>/migration.sql`), oldest first. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => ({ name, script: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  )
}
