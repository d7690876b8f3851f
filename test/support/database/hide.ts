import { onTestFinished } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'

/** SQL that renames something and SQL that restores its name. */
type Renaming = readonly [away: string, back: string]

/** A column of a parent such as `table users`. */
export const columnOf = (owner: string, name: string): Renaming => [
  `alter ${owner} rename column ${name} to hidden`,
  `alter ${owner} rename column hidden to ${name}`,
]

/** An object of a kind such as `table`. */
export const nameOf = (kind: string, name: string): Renaming => [
  `alter ${kind} ${name} rename to hidden`,
  `alter ${kind} hidden rename to ${name}`,
]

/** Renames an object of the database, so that statements fail to find it, until the test has finished. */
export async function hide({ write: { prisma } }: Database, [away, back]: Renaming): Promise<void> {
  await prisma.$executeRawUnsafe(away)
  onTestFinished(async () => {
    await prisma.$executeRawUnsafe(back)
  })
}
