import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { scopes } from '../../src/scopes.ts'
import { seed } from '../../src/seed/seed.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { postSelection, publicationFact, publicationSelection, userFact, userSelection } from '../support/parity.ts'

let app: TestApp
let viewer: { id: string; username: string; token: string }
let publications: { id: string; parentId: string | null }[]
let users: { id: string; username: string }[]

beforeAll(async () => {
  app = await startApp()
  const size = { users: 12, posts: 80, likes: 200, follows: 50, seed: 7 }
  await seed(app.database, { ...size, now: new Date('2026-05-01T12:00:00Z') })
  const { prisma } = app.database.write
  users = await prisma.user.findMany({ select: { id: true, username: true }, orderBy: { id: 'asc' } })
  const ada = { id: '', username: 'ada', ...users.find(({ username }) => username === 'ada') }
  viewer = { ...ada, token: await app.token({ ...ada, token: '' }, scopes) }
  await deleteOne()
  const where = { deletedAt: null }
  publications = await prisma.publication.findMany({ where, select: { id: true, parentId: true } })
})
afterAll(() => app.close())

/** Deletes a post that has replies, so that some have a deleted parent. */
async function deleteOne() {
  const { id, authorId } = await app.database.write.prisma.publication.findFirstOrThrow({
    where: { parentId: null, replyCount: { gte: 2 } },
  })
  expect(authorId).not.toBeNull()
  const author = await app.token({ id: authorId ?? '', username: '', token: '' }, scopes)
  await app.rest(author, 'DELETE', `/post/${id}`)
}

async function overRest(path: string, bearer = viewer.token): Promise<unknown> {
  const response = await app.rest(bearer, 'GET', path)
  expect(response.status, path).toBe(200)
  return response.json()
}

async function overGraphQL<Fact>(fact: z.ZodType<Fact>, field: string, bearer = viewer.token): Promise<Fact> {
  const { data, errors } = await app.graphql(bearer, `{ ${field} }`)
  expect(errors, field).toEqual([])
  return fact.parse(data)
}

const nodes = <Fact>(fact: z.ZodType<Fact>) => z.strictObject({ nodes: z.array(fact) })

test('posts and replies are equal', async () => {
  expect(publications.filter(({ parentId }) => parentId === null).length).toBeGreaterThan(10)
  for (const { id } of publications) {
    const fact = z.strictObject({ post: publicationFact })
    const { post } = await overGraphQL(fact, `post(uuid: "${id}") { ${publicationSelection} }`)
    expect(await overRest(`/post/${id}`)).toEqual(post)
  }
})

test('reply objects are equal', async () => {
  const uuidOf = z.strictObject({ uuid: z.uuid() }).transform(({ uuid }) => uuid)
  const replyFact = z
    .strictObject({
      uuid: z.uuid(),
      parentUuid: z.uuid(),
      author: uuidOf,
      content: z.string(),
      from: uuidOf.nullable(),
      locked: z.boolean(),
      replies: nodes(publicationFact),
    })
    .transform(({ parentUuid: parent, locked: lock, replies, ...rest }) => ({
      ...rest,
      parent,
      lock,
      replies: replies.nodes,
    }))
  const replies = publications.filter(({ parentId }) => parentId !== null)
  expect(replies.length).toBeGreaterThan(10)
  for (const { id } of replies) {
    const selection = `uuid parentUuid author { uuid } content from { uuid } locked
      replies(first: 5) { nodes { ${publicationSelection} } }`
    const { reply } = await overGraphQL(z.strictObject({ reply: replyFact }), `reply(uuid: "${id}") { ${selection} }`)
    expect(await overRest(`/reply/${id}`)).toEqual(reply)
  }
})

test('pages of replies are equal', async () => {
  const fact = z.strictObject({ post: z.strictObject({ replies: nodes(publicationFact) }) })
  let some = 0
  for (const { id } of publications) {
    for (const page of [1, 2]) {
      const window = `first: 2, offset: ${(page - 1) * 2}`
      const field = `post(uuid: "${id}") { replies(${window}) { nodes { ${publicationSelection} } } }`
      const { replies } = (await overGraphQL(fact, field)).post
      some += replies.nodes.length
      expect(await overRest(`/post/${id}/replies/${page}?limit=2`)).toMatchObject({ replies: replies.nodes })
    }
  }
  expect(some).toBeGreaterThan(10)
})

test('several posts at once, and those who like them, are equal', async () => {
  const fact = z.strictObject({ publications: z.array(publicationFact) })
  const some = publications.slice(0, 100).map(({ id }) => id)
  const uuids = some.map((id) => `"${id}"`).join(', ')
  const { publications: found } = await overGraphQL(fact, `publications(uuids: [${uuids}]) { ${publicationSelection} }`)
  expect(await overRest(`/post?${some.map((id) => `uuid=${id}`).join('&')}`)).toEqual({ posts: found })
  const withLikers = z.strictObject({ post: z.strictObject({ uuid: z.uuid(), likers: nodes(userFact) }) })
  let likers = 0
  for (const { id } of publications) {
    const field = `post(uuid: "${id}") { uuid likers(first: 3) { nodes { ${userSelection} } } }`
    const { post } = await overGraphQL(withLikers, field)
    expect(await overRest(`/post/${id}/likes/1?limit=3`)).toEqual({ post: id, likers: post.likers.nodes })
    likers += post.likers.nodes.length
  }
  expect(likers).toBeGreaterThan(20)
})

test('the likes of the viewer are equal', async () => {
  const fact = z.strictObject({ viewer: z.strictObject({ likes: nodes(publicationFact) }) })
  const { viewer: own } = await overGraphQL(fact, `viewer { likes(first: 50) { nodes { ${publicationSelection} } } }`)
  expect(own.likes.nodes.length).toBeGreaterThan(5)
  expect(await overRest('/user/@ada/likes/1?limit=50')).toEqual({ user: viewer.id, likes: own.likes.nodes })
})

test('other users are equal', async () => {
  const fact = z.strictObject({ user: userFact })
  const others = users.filter(({ id }) => id !== viewer.id)
  for (const { id, username } of others) {
    const { user } = await overGraphQL(fact, `user(by: { uuid: "${id}" }) { ${userSelection} }`)
    expect(await overRest(`/user/${id}`)).toEqual(user)
    expect(await overRest(`/user/@${username}`)).toEqual(user)
  }
  expect(others.length).toBeGreaterThan(5)
})

test('the viewer is equal, with and without the scope for the e-mail address', async () => {
  const fact = z.strictObject({ viewer: userFact })
  const selection = `${userSelection} email emailVerified`
  for (const bearer of [viewer.token, await app.token(viewer, ['user.get'])]) {
    const { viewer: own } = await overGraphQL(fact, `viewer { ${selection} }`, bearer)
    expect(await overRest('/user', bearer)).toEqual(own)
    expect(await overRest(`/user/${viewer.id}`, bearer)).toEqual(own)
  }
})

test('posts, following and followers of a user are equal', async () => {
  const fact = z.strictObject({
    user: z.strictObject({
      uuid: z.uuid(),
      posts: nodes(publicationFact),
      following: nodes(userFact),
      followers: nodes(userFact),
    }),
  })
  const found = { posts: 0, following: 0, followers: 0 }
  for (const { id } of users) {
    const selection = `uuid posts(first: 3) { nodes { ${postSelection} } }
      following(first: 3) { nodes { ${userSelection} } } followers(first: 3) { nodes { ${userSelection} } }`
    const { user } = await overGraphQL(fact, `user(by: { uuid: "${id}" }) { ${selection} }`)
    const { uuid, posts, following, followers } = user
    expect(await overRest(`/user/${id}/posts/1?limit=3`)).toEqual({ user: uuid, posts: posts.nodes })
    expect(await overRest(`/user/${id}/following?limit=3`)).toEqual({ following: following.nodes })
    expect(await overRest(`/user/${id}/followers?limit=3`)).toEqual({ followers: followers.nodes })
    found.posts += posts.nodes.length
    found.following += following.nodes.length
    found.followers += followers.nodes.length
  }
  expect(Math.min(found.posts, found.following, found.followers)).toBeGreaterThan(5)
})
