import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { follows, likes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { type Connection, idsOf, readPage } from '../../support/graphql/pages.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { globalIdOf } from '../../support/reference/schema.ts'
import { sample } from '../../support/sample.ts'

let app: TestApp
let ada: Person
let thread: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  thread = await publish(app, await app.person())
})
afterAll(() => app.close())

const follow = (by: Person, { id }: Person, followed: boolean) => setRelation(app, by, follows, id, followed)
const like = (by: Person, uuid: string, liked: boolean) => setRelation(app, by, likes, uuid, liked)

/** A list with the ways to add an element and to remove it again. `add` returns its global id. */
type List = {
  readonly name: string
  readonly connection: () => Connection
  readonly add: () => Promise<{ readonly id: string; readonly remove: () => Promise<unknown> }>
}

const publishes =
  (parent?: () => string, content = 'Hello') =>
  async () => {
    const uuid = await publish(app, ada, { content, ...(parent && { parent: parent() }) })
    const remove = () => mutate(app, ada, 'deletePost', { uuid }, 'publication { uuid }')
    return { id: globalIdOf(parent ? 'Reply' : 'Post', uuid), remove }
  }
const meets = (set: (person: Person, isSet: boolean) => Promise<unknown>) => async () => {
  const person = await app.person()
  await set(person, true)
  return { id: globalIdOf('User', person.id), remove: () => set(person, false) }
}

const lists: readonly List[] = [
  {
    name: 'replies',
    connection: () => ({ owner: `post(uuid: "${thread}")`, field: 'replies' }),
    add: publishes(() => thread),
  },
  { name: 'posts of a user', connection: () => ({ owner: 'viewer', field: 'posts' }), add: publishes() },
  {
    name: 'replies of a user',
    connection: () => ({ owner: 'viewer', field: 'replies' }),
    add: publishes(() => thread),
  },
  {
    name: 'publications with a hashtag',
    connection: () => ({ owner: 'hashtag(name: "here")', field: 'publications' }),
    add: publishes(undefined, '#here'),
  },
  { name: 'public timeline', connection: () => ({ field: 'publicTimeline' }), add: publishes() },
  { name: 'home timeline', connection: () => ({ field: 'homeTimeline' }), add: publishes() },
  {
    name: 'following',
    connection: () => ({ owner: 'viewer', field: 'following' }),
    add: meets((person, isSet) => follow(ada, person, isSet)),
  },
  {
    name: 'followers',
    connection: () => ({ owner: 'viewer', field: 'followers' }),
    add: meets((person, isSet) => follow(person, ada, isSet)),
  },
  {
    name: 'likers',
    connection: () => ({ owner: `post(uuid: "${thread}")`, field: 'likers' }),
    add: meets((person, isSet) => like(person, thread, isSet)),
  },
  {
    name: 'likes',
    connection: () => ({ owner: 'viewer', field: 'likes' }),
    add: async () => {
      const uuid = await publish(app, await app.person())
      await like(ada, uuid, true)
      return { id: globalIdOf('Post', uuid), remove: () => like(ada, uuid, false) }
    },
  },
]

const directions = [
  { size: 'first', from: 'after', cursor: 'endCursor', more: 'hasNextPage' },
  { size: 'last', from: 'before', cursor: 'startCursor', more: 'hasPreviousPage' },
] as const

describe.each(sample(lists, 3))('$name', ({ connection, add }) => {
  test.each(directions)('read by $size and $from beside writes have what stays exactly once', async (direction) => {
    const { size, from, cursor, more } = direction
    const added: Awaited<ReturnType<List['add']>>[] = []
    for (let count = 0; count < 12; count += 1) added.push(await add())
    const stays = new Set(added.map(({ id }) => id))
    const removeFirst = async (isMeant: (id: string) => boolean) => {
      const found = added.find(({ id }) => stays.has(id) && isMeant(id))
      if (!found) return
      await found.remove()
      stays.delete(found.id)
    }
    const seen: string[] = []
    for (let at: string | null = null, isMore = true; isMore; ) {
      const page = await readPage(app, ada.token, connection(), `${size}: 3${at === null ? '' : `, ${from}: "${at}"`}`)
      seen.push(...idsOf(page))
      at = page.pageInfo[cursor]
      isMore = page.pageInfo[more]
      // What the cursor is of, something that was not read yet, and something new.
      const { node } = page.edges.find((edge) => edge.cursor === at) ?? {}
      await removeFirst((id) => id === node?.id)
      if (isMore) await removeFirst((id) => !seen.includes(id))
      if (seen.length < 9) await add()
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining([...stays]))
  })
})

const list = z.object({ totalCount: z.number(), nodes: z.array(z.object({ id: z.string() })) })
const counted = z.object({
  post: z.object({ likeCount: z.number(), likers: list, numbered: list, replyCount: z.number(), replies: list }),
})

test('a count and its list belong to one moment, however many write', async () => {
  const uuid = await publish(app, ada)
  const people = await Promise.all(Array.from({ length: 8 }, () => app.person()))
  let isOver = false
  const write = async (person: Person) => {
    while (!isOver) {
      await like(person, uuid, true)
      const reply = await publish(app, person, { parent: uuid })
      await like(person, uuid, false)
      await mutate(app, person, 'deletePost', { uuid: reply }, 'publication { uuid }')
    }
  }
  const writers = people.map(write)
  const source = `query ($uuid: UUID!) { post(uuid: $uuid) {
    likeCount likers(first: 100) { totalCount nodes { id } } numbered: likers(first: 100, offset: 0) { totalCount nodes { id } }
    replyCount replies(first: 100) { totalCount nodes { id } }
  } }`
  const counts = new Set<number>()
  try {
    for (let count = 0; count < 40; count += 1) {
      const { data } = await app.graphql(ada.token, source, { uuid })
      const { likeCount, likers, numbered, replyCount, replies } = counted.parse(data).post
      counts.add(likeCount)
      expect([likers.totalCount, likers.nodes.length, numbered.nodes.length]).toEqual([likeCount, likeCount, likeCount])
      expect([replies.totalCount, replies.nodes.length]).toEqual([replyCount, replyCount])
    }
  } finally {
    isOver = true
    await Promise.all(writers)
  }
  expect(counts.size).toBeGreaterThan(1)
})

test('numbered pages of likes leave out what was deleted with too many likes to erase at once', async () => {
  const { prisma } = app.database.write
  const { id: userId, token } = await app.person()
  const posts: string[] = []
  for (let count = 0; count < 6; count += 1) posts.push(await publish(app, ada))
  await prisma.like.createMany({ data: posts.map((publicationId) => ({ id: newId(), publicationId, userId })) })
  // As the deletion of a post with more than a thousand likes leaves it, until they are removed in parts.
  const gone = posts[4] ?? ''
  await prisma.publication.update({ where: { id: gone }, data: { content: '', deletedAt: new Date() } })
  await prisma.publicationDeletion.create({ data: { publicationId: gone } })
  const all = posts
    .filter((uuid) => uuid !== gone)
    .toReversed()
    .map((uuid) => globalIdOf('Post', uuid))
  const likes = { owner: 'viewer', field: 'likes' }
  for (const [offset, more] of [
    [0, true],
    [2, true],
    [4, false],
  ] as const) {
    const page = await readPage(app, token, likes, `first: 2, offset: ${offset}`)
    expect({ ids: idsOf(page), more: page.pageInfo.hasNextPage }).toEqual({ ids: all.slice(offset, offset + 2), more })
  }
})
