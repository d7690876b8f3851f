import type { Database } from '../data/database.ts'
import { newId } from '../domain/new-id.ts'
import { sendPublication } from '../domain/publications.ts'
import { follows } from '../domain/relations.ts'

/** How many accounts like and follow. */
const active = 4

/** Gives an account of the demo network the notifications that a seeded network does not have. */
export async function addDemoActivity(database: Database, username: string): Promise<void> {
  const { prisma } = database.write
  const { id } = await prisma.user.findFirstOrThrow({ where: { username }, select: { id: true } })
  const post = await prisma.publication.findFirst({
    where: { authorId: id, parentId: null },
    orderBy: { id: 'desc' },
    select: { id: true },
  })
  const others = await prisma.user.findMany({
    where: { id: { not: id }, following: { none: { followeeId: id } } },
    orderBy: { id: 'asc' },
    take: active,
    select: { id: true },
  })
  for (const other of others) {
    if (post)
      await prisma.$queryRaw`select set_like(${newId()}::uuid, ${other.id}::uuid, ${post.id}::uuid, true, true, true)`
    await prisma.$queryRaw`select set_follow(${newId()}::uuid, ${other.id}::uuid, ${id}::uuid, true, ${follows.limit}::int)`
  }
  const [one, two] = others.map((other) => ({ id: other.id, applicationId: null }))
  if (one && post) await sendPublication(database, one, { content: 'Same here!', parent: post.id })
  if (two)
    await sendPublication(database, two, {
      content: `Good morning, @${username}! Is anybody reading along? #amreading`,
    })
}
