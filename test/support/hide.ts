import { onTestFinished } from 'vitest'
import type { Database } from '../../src/data/database.ts'

/** What takes a name away in SQL, and what gives it back. */
type Renaming = readonly [away: string, back: string]

/** The name of a column, of something like `table users`. */
export const columnOf = (owner: string, name: string): Renaming => [
  `alter ${owner} rename column ${name} to hidden`,
  `alter ${owner} rename column hidden to ${name}`,
]

/** The name of something of a kind like `table`. */
export const nameOf = (kind: string, name: string): Renaming => [
  `alter ${kind} ${name} rename to hidden`,
  `alter ${kind} hidden rename to ${name}`,
]

/** Makes something of the database as good as gone until the test has finished. */
export async function hide({ write }: Database, [away, back]: Renaming): Promise<void> {
  await write.$executeRawUnsafe(away)
  onTestFinished(async () => {
    await write.$executeRawUnsafe(back)
  })
}
