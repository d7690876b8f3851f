import type { Database } from '../../../src/engine/data/database.ts'
import { entitiesIn } from '../../../src/features/base/entities.ts'
import { vectorOf } from '../../../src/features/base/words.ts'

/** Stores the words of all publications and names, where rows were inserted without them. */
export async function indexTexts({ write: { prisma } }: Database): Promise<void> {
  const publications = await prisma.livePublication.findMany({ select: { id: true, content: true } })
  const users = await prisma.user.findMany({ select: { id: true, displayName: true } })
  const words = [
    ...publications.map(({ id, content }) => ({ id, words: vectorOf(content, entitiesIn(content)) })),
    ...users.map(({ id, displayName }) => ({ id, words: vectorOf(displayName) })),
  ]
  const rows = JSON.stringify(words)
  for (const [table, column] of [
    ['publications', 'tokens'],
    ['users', 'name_tokens'],
  ])
    await prisma.$executeRawUnsafe(
      `update ${table} it set ${column} = words::tsvector
       from jsonb_to_recordset($1::jsonb) row(id uuid, words text) where it.id = row.id`,
      rows,
    )
}
