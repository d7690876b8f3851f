import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, mutes } from '../../../src/features/base/relations.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ;[ada, bob] = [await app.person('ada'), await app.person('bob')]
})
afterAll(() => app.close())

const thread = z.object({
  nodes: z.array(z.object({ uuid: z.string() })),
  edges: z.array(z.object({ cursor: z.string(), node: z.object({ uuid: z.string() }) })),
  places: z.array(z.object({ uuid: z.string(), parentUuid: z.string().nullable() })),
  pageInfo: z.object({
    startCursor: z.string().nullable(),
    endCursor: z.string().nullable(),
    hasNextPage: z.boolean(),
    hasPreviousPage: z.boolean(),
  }),
})
const fields = `nodes { uuid } edges { cursor node { uuid } } places { uuid parentUuid }
  pageInfo { startCursor endCursor hasNextPage hasPreviousPage }`
const answer = z.object({
  post: z.object({ ancestors: z.array(z.object({ uuid: z.string() }).nullable()), thread }),
})

async function read(viewer: Person, uuid: string, args = 'first: 100') {
  const source = `{ post(uuid: "${uuid}") { ancestors { uuid } thread(${args}) { ${fields} } } }`
  const { data, errors } = await app.graphql(viewer.token, source)
  expect(errors).toEqual([])
  const { ancestors, thread } = answer.parse(data).post
  return { ...thread, nodes: thread.nodes.map(({ uuid }) => uuid), ancestors: ancestors.map((it) => it?.uuid ?? null) }
}

/** A post with two replies, of which the first has two of its own, one below the other. */
async function conversation(author = ada, others = bob) {
  const root = await publish(app, author)
  const first = await publish(app, others, { parent: root })
  const second = await publish(app, author, { parent: root })
  const nested = await publish(app, author, { parent: first })
  const deepest = await publish(app, others, { parent: nested })
  return { root, first, second, nested, deepest, all: [root, first, second, nested, deepest] }
}

test('a thread is the same from each of its publications, oldest first', async () => {
  const { all } = await conversation()
  await conversation()
  for (const uuid of all) expect(await read(ada, uuid)).toMatchObject({ nodes: all, places: [] })
})

test('ancestors begin with the post', async () => {
  const { root, first, second, nested, deepest } = await conversation()
  expect((await read(ada, root)).ancestors).toEqual([])
  expect((await read(ada, second)).ancestors).toEqual([root])
  expect((await read(ada, deepest)).ancestors).toEqual([root, first, nested])
})

test('a reply has its 100 nearest ancestors', async () => {
  const line = [await publish(app, ada)]
  for (let depth = 0; depth < 102; depth += 1) line.push(await publish(app, ada, { parent: line.at(-1) ?? '' }))
  expect((await read(ada, line.at(-1) ?? '')).ancestors).toEqual(line.slice(2, -1))
})

test('a reply under a UUID of its client has its place in the order of UUIDs', async () => {
  const { root, all } = await conversation()
  const early = root.replace(/^.{8}-.{4}/, (time) =>
    (BigInt(`0x${time.replace('-', '')}`) - 60_000n).toString(16).padStart(12, '0').replace(/^.{8}/, '$&-'),
  )
  await publish(app, bob, { parent: root, uuid: early })
  expect((await read(ada, root)).nodes).toEqual([early, ...all])
})

describe('a publication is a place, and everything below it stays', () => {
  const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')

  test('when it was deleted', async () => {
    const { root, first, second, nested, deepest } = await conversation()
    await remove(bob, first)
    await remove(ada, root)
    expect(await read(ada, deepest)).toMatchObject({
      nodes: [second, nested, deepest],
      places: [
        { uuid: root, parentUuid: null },
        { uuid: first, parentUuid: root },
      ],
      ancestors: [null, null, nested],
    })
  })

  test('when its account was deleted', async () => {
    const dan = await app.person()
    const { root, first, second, nested, deepest } = await conversation(ada, dan)
    const suspendedAt = new Date(Date.now() - 60_000)
    await app.database.write.prisma.user.update({ where: { id: dan.id }, data: { suspendedAt } })
    await deleteAccount(app.database, dan.id)
    expect(await read(ada, nested)).toMatchObject({
      nodes: [root, second, nested],
      places: [
        { uuid: first, parentUuid: root },
        { uuid: deepest, parentUuid: nested },
      ],
      ancestors: [root, null],
    })
  })

  test('when a moderator removed it', async () => {
    const mo = await moderator(app)
    const { root, first } = await conversation()
    await mutate(app, mo, 'removePublication', { uuid: first, reason: 'Spam' }, 'publication { uuid }')
    expect((await read(ada, root)).places).toEqual([{ uuid: first, parentUuid: root }])
  })

  test('when one of both accounts blocks the other, but not for anybody else', async () => {
    const [cyd, dan, mo] = [await app.person(), await app.person(), await moderator(app)]
    const { root, first, second, nested, deepest, all } = await conversation(cyd, dan)
    await setRelation(app, cyd, blocks, dan.id)
    expect(await read(cyd, nested)).toMatchObject({
      nodes: [root, second, nested],
      places: [
        { uuid: first, parentUuid: root },
        { uuid: deepest, parentUuid: nested },
      ],
      ancestors: [root, null],
    })
    expect(await read(dan, deepest)).toMatchObject({
      nodes: [first, deepest],
      places: [
        { uuid: root, parentUuid: null },
        { uuid: second, parentUuid: root },
        { uuid: nested, parentUuid: first },
      ],
      ancestors: [null, first, null],
    })
    for (const viewer of [ada, mo]) expect(await read(viewer, root)).toMatchObject({ nodes: all, places: [] })
  })
})

test('who mutes an account sees what it says in threads', async () => {
  const cyd = await app.person()
  const { nested, all } = await conversation()
  await setRelation(app, cyd, mutes, bob.id)
  expect(await read(cyd, nested)).toMatchObject({ nodes: all, places: [], ancestors: all.slice(0, 2) })
})

test.each([
  ['first', 'after', 'endCursor', 'hasNextPage'],
  ['last', 'before', 'startCursor', 'hasPreviousPage'],
] as const)(
  'pages by %s have at most so many nodes and places together, and each once',
  async (size, from, end, more) => {
    const { root, first, nested, all } = await conversation()
    for (const uuid of [first, root])
      await mutate(app, uuid === root ? ada : bob, 'deletePost', { uuid }, 'publication { uuid }')
    const met: string[] = []
    let cursor: string | null = null
    for (let isMore = true; isMore; ) {
      const page = await read(ada, nested, `${size}: 2${cursor === null ? '' : `, ${from}: "${cursor}"`}`)
      expect(page.edges.map(({ node }) => node.uuid)).toEqual(page.nodes)
      const uuids = [...page.places.map(({ uuid }) => uuid), ...page.nodes]
      expect(uuids.length).toBeLessThanOrEqual(2)
      met.push(...uuids)
      cursor = page.pageInfo[end]
      isMore = page.pageInfo[more]
    }
    expect(met.toSorted()).toEqual(all.toSorted())
  },
)

test('the reply of a mutation has its ancestors and its thread', async () => {
  const { root, first, nested, deepest } = await conversation()
  await mutate(app, bob, 'deletePost', { uuid: first }, 'publication { uuid }')
  const selected = `reply { ancestors { uuid } thread { nodes { content } places { uuid parentUuid __typename } } }`
  const { data, errors } = await mutate(app, ada, 'sendReply', { parent: deepest, content: 'Yes' }, selected)
  expect(errors).toEqual([])
  const uuids = [root, null, nested, deepest]
  expect(data).toEqual({
    sendReply: {
      reply: {
        ancestors: uuids.map((uuid) => uuid && { uuid }),
        thread: {
          nodes: ['Hello', 'Hello', 'Hello', 'Hello', 'Yes'].map((content) => ({ content })),
          places: [{ uuid: first, parentUuid: root, __typename: 'ThreadPlace' }],
        },
      },
    },
  })
})

test('REST returns a page of a thread with its places', async () => {
  const { root, first, second, nested } = await conversation()
  await app.rest(bob.token, 'DELETE', `/post/${first}`)
  const response = await app.rest(ada.token, 'GET', `/post/${nested}/thread/1?limit=3`)
  expect(await response.json()).toMatchObject({
    post: nested,
    thread: [{ uuid: root }, { uuid: second }],
    places: [{ uuid: first, parent: root }],
  })
})
