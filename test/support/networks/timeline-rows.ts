import { v7 as newId } from 'uuid'
import type { Database } from '../../../src/engine/data/database.ts'
import { setCounters } from '../../../src/features/demo/seed.ts'

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** The size of a timeline. */
export type TimelineSize = { readonly authors: number; readonly posts: number; readonly replies: number }

/**
 * New authors whom the viewer follows, each with so many posts and each of these with so many replies by the others, with the authors
 * taking turns in time. Returns the ids of the posts, oldest first.
 */
export async function createTimeline(
  { write: { prisma } }: Database,
  viewerId: string,
  { authors, posts, replies }: TimelineSize,
): Promise<string[]> {
  const users = range(authors).map(() => newId())
  const authorAt = (index: number) => users[index % authors] ?? viewerId
  const written = range(posts * authors).map((index) => ({ id: newId(), authorId: authorAt(index) }))
  await prisma.user.createMany({
    data: users.map((id) => {
      const username = `author_${id.replaceAll('-', '').slice(-12)}`
      return { id, username, displayName: username, email: `${username}@example.org` }
    }),
  })
  await prisma.follow.createMany({ data: users.map((id) => ({ id: newId(), followerId: viewerId, followeeId: id })) })
  await prisma.publication.createMany({ data: written.map((post, index) => ({ ...post, content: `Post ${index}` })) })
  await prisma.publication.createMany({
    data: written.flatMap(({ id }, index) =>
      range(replies).map((reply) => ({
        id: newId(),
        parentId: id,
        authorId: authorAt(index + reply + 1),
        content: `Reply ${reply}`,
      })),
    ),
  })
  await setCounters(prisma)
  return written.map(({ id }) => id)
}
