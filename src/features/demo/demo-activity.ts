import type { Database } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/ids.ts'
import { runCalls } from '../base/function-calls.ts'
import { follows, likes, type Relation, reposts } from '../base/relations.ts'
import { sendPublication } from '../posts/publications.ts'
import { relationCall } from '../relations/mutations.ts'

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
  const followed = await prisma.user.findFirst({
    where: { followers: { some: { followerId: id } } },
    orderBy: { id: 'asc' },
    select: { id: true },
  })
  const relate = (relation: Relation, object: string, actors: readonly { readonly id: string }[] = others) => {
    const change = { object, wanted: true, cause: 'request' } as const
    return runCalls(
      prisma,
      actors.map((other) => relationCall(relation, { newId: newId(), actor: other.id, ...change })),
    )
  }
  if (post) {
    await relate(likes, post.id)
    await relate(reposts, post.id)
  }
  await relate(follows, id)
  const [one, two] = others.map((other) => ({ id: other.id, applicationId: null }))
  if (one && post) await sendPublication(database, one, { content: 'Same here!', parent: post.id })
  if (two)
    await sendPublication(database, two, {
      content: `Good morning, @${username}! Is anybody reading along? #amreading`,
    })
  if (followed && post) {
    const author = { id: followed.id, applicationId: null }
    await sendPublication(database, author, { content: 'This is what I tried to say all week.', quote: post.id })
    const liked = await prisma.publication.findFirst({
      where: { parentId: null, deletedAt: null, author: { id: { not: id }, followers: { none: { followerId: id } } } },
      orderBy: { likeCount: 'desc' },
      select: { id: true },
    })
    if (liked) await relate(reposts, liked.id, [followed])
  }
}
