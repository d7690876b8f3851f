import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { mutate } from '../support/mutate.ts'
import { outcomeOf } from '../support/outcomes.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let grace: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const run = async (person: Person, document: string, variables: Record<string, unknown> = {}) => {
  const { data, errors } = await app.graphql(person.token, document, variables)
  expect(errors).toEqual([])
  return data
}
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')
const like = (person: Person, uuid: string) => mutate(app, person, 'toggleLike', { uuid }, 'action')
const idOf = async (uuid: string) =>
  z
    .object({ post: z.object({ id: z.string() }) })
    .parse(await run(ada, 'query ($uuid: UUID!) { post(uuid: $uuid) { id } }', { uuid })).post.id

test('a deletion returns the previous state, including nested objects', async () => {
  const root = await publish(app, grace, { content: 'Root' })
  const uuid = await publish(app, ada, { content: 'Middle', parent: root, locked: true })
  await publish(app, ada, { content: 'Leaf', parent: uuid })
  await like(grace, uuid)
  await like(ada, uuid)
  const data = await run(
    ada,
    `mutation ($uuid: UUID!) {
      gone: deleteReply(input: { uuid: $uuid }) {
        reply {
          __typename uuid content locked likeCount viewerHasLiked replyCount parentUuid
          parent { content replyCount author { username } }
          author { username }
          replies(first: 5) { totalCount nodes { content parent { content } } }
        }
        again: reply { content }
      }
    }`,
    { uuid },
  )
  expect(data).toEqual({
    gone: {
      reply: {
        __typename: 'Reply',
        uuid,
        content: 'Middle',
        locked: true,
        likeCount: 2,
        viewerHasLiked: true,
        replyCount: 1,
        parentUuid: root,
        parent: { content: 'Root', replyCount: 1, author: { username: 'grace' } },
        author: { username: 'ada' },
        replies: { totalCount: 1, nodes: [{ content: 'Leaf', parent: { content: 'Middle' } }] },
      },
      again: { content: 'Middle' },
    },
  })
})

test('a deleted row remains without its content and likes', async () => {
  const parent = await publish(app, grace)
  const uuid = await publish(app, ada, { parent, content: 'A secret' })
  await like(grace, uuid)
  await remove(ada, uuid)
  const row = await app.database.write.prisma.publication.findUniqueOrThrow({
    where: { id: uuid },
    include: { likes: true },
  })
  expect(row).toMatchObject({ content: '', likeCount: 0, likes: [], parentId: parent, deletedAt: expect.any(Date) })
  expect(await app.database.write.prisma.publication.findUniqueOrThrow({ where: { id: parent } })).toMatchObject({
    replyCount: 0,
  })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('replies to a deleted publication remain reachable by id and show a deleted parent', async () => {
  const parent = await publish(app, ada)
  const uuid = await publish(app, grace, { parent, content: 'Orphan' })
  const leaf = await publish(app, ada, { parent: uuid })
  await remove(ada, parent)
  const document = `query ($uuid: UUID!, $id: ID!) {
    post(uuid: $uuid) { content ... on Reply { parentUuid parent { uuid } } }
    reply(uuid: $uuid) { parentUuid parent { uuid } replies { nodes { uuid } } }
    node(id: $id) { ... on Reply { parentUuid parent { content } } }
  }`
  expect(await run(grace, document, { uuid, id: await idOf(uuid) })).toEqual({
    post: { content: 'Orphan', parentUuid: parent, parent: null },
    reply: { parentUuid: parent, parent: null, replies: { nodes: [{ uuid: leaf }] } },
    node: { parentUuid: parent, parent: null },
  })
  expect(await (await app.rest(grace.token, 'GET', `/post/${uuid}`)).json()).toMatchObject({
    parent: { uuid: parent, author: null, content: null, created_at: null, deleted: true },
  })
  expect(await (await app.rest(grace.token, 'GET', `/reply/${uuid}`)).json()).toMatchObject({ uuid, parent })
  // They remain: they are liked, answered and deleted as before.
  expect(outcomeOf(await like(ada, uuid))).toBe('LIKED')
  await publish(app, ada, { parent: uuid })
  expect(outcomeOf(await remove(grace, uuid))).toBe('DONE')
  expect(await wrongCounters(app.database)).toEqual([])
})

test('no list, node or lookup returns deleted publications', async () => {
  const reader = await app.person()
  const [first, second, third] = [
    await publish(app, reader, { content: 'first' }),
    await publish(app, reader, { content: 'second' }),
    await publish(app, reader, { content: 'third' }),
  ]
  const [one, two] = [await publish(app, ada, { parent: first }), await publish(app, ada, { parent: first })]
  const ids = [await idOf(second), await idOf(one), await idOf(third)]
  expect(outcomeOf(await remove(reader, second))).toBe('DONE')
  expect(outcomeOf(await remove(ada, one))).toBe('DONE')
  const data = await run(
    reader,
    `query ($second: UUID!, $one: UUID!, $first: UUID!, $id: ID!, $ids: [ID!]!) {
      post(uuid: $second) { uuid }
      asPost: post(uuid: $one) { uuid }
      reply(uuid: $one) { uuid }
      parent: post(uuid: $first) { replyCount replies { totalCount nodes { uuid } } }
      node(id: $id) { id }
      nodes(ids: $ids) { ... on Post { content } }
      viewer { posts { nodes { content } } }
      homeTimeline { nodes { content } }
      publicTimeline(first: 2) { nodes { content } }
    }`,
    { second, one, first, id: ids[0], ids },
  )
  const left = { nodes: [{ content: 'third' }, { content: 'first' }] }
  expect(data).toEqual({
    post: null,
    asPost: null,
    reply: null,
    parent: { replyCount: 1, replies: { totalCount: 1, nodes: [{ uuid: two }] } },
    node: null,
    nodes: [null, null, { content: 'third' }],
    viewer: { posts: left },
    homeTimeline: left,
    publicTimeline: left,
  })
  const { posts } = z
    .object({ posts: z.array(z.object({ content: z.string() })) })
    .parse(await (await app.rest(reader.token, 'GET', `/user/${reader.id}/posts/1`)).json())
  expect(posts.map(({ content }) => content)).toEqual(['third', 'first'])
})

test('a deletion whose result cannot be read deletes nothing', async () => {
  const uuid = await publish(app, ada)
  const narrow = await app.token(ada, ['post.get', 'post.delete'])
  const { errors } = await mutate(
    app,
    { token: narrow },
    'deletePost',
    { uuid },
    'publication { replies { totalCount } }',
  )
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }])
  expect(await idOf(uuid)).toEqual(expect.any(String))
})
