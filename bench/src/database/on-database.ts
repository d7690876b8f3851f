import pg from 'pg'
import type { Options } from '../options.ts'
import { buildRookery, createDatabase } from './create.ts'

/** Builds Rookery unless told otherwise, and measures on the seeded database that the options name. */
export async function onDatabase(
  options: Options,
  measure: (url: string, db: pg.Client, options: Options) => Promise<void>,
): Promise<void> {
  // Leaving by `exit` ends the servers too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  if (!options.skipBuild) buildRookery()
  const url = await createDatabase(options)
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  try {
    await measure(url, db, options)
  } finally {
    await db.end()
  }
}
