import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, follows, likes } from '../../../src/features/base/relations.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { changesAfter, inShort, settledCursor } from '../../support/graphql/changes.ts'
import { eventsOf, subscribe, take } from '../../support/graphql/events.ts'
import { type Connection, idsOf, readPage, walk } from '../../support/graphql/pages.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { password, signUp } from '../../support/graphql/sign-in.ts'
import { blockedPair, type Side } from '../../support/networks/blocked-pair.ts'
import { cursorOf } from '../../support/reference/pages.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let pair: Awaited<ReturnType<typeof blockedPair>>
beforeAll(async () => {
  app = await startApp()
  pair = await blockedPair(app, ['ada', 'bob', 'cyd'])
})
afterAll(() => app.close())

const read = async ({ token }: Person, source: string, from = app) => {
  const { data, errors } = await from.graphql(token, source)
  expect(errors).toEqual([])
  return data
}

/** Every way to a list, for a viewer and another account. */
const lists = (other: Side, own: Side): readonly Connection[] => [
  { field: 'homeTimeline' },
  { field: 'publicTimeline' },
  ...['posts', 'replies', 'following', 'followers'].flatMap((field) =>
    [other, own].map(({ viewer }) => ({ owner: `user(by: { uuid: "${viewer.id}" })`, field })),
  ),
  ...[pair.postOfThird, own.post].flatMap((uuid) =>
    ['replies', 'likers'].map((field) => ({ owner: `post(uuid: "${uuid}")`, field })),
  ),
  ...['following', 'followers'].map((field) => ({ owner: `user(by: { username: "cyd" })`, field })),
  { owner: 'viewer', field: 'likes' },
]

const hiddenIds = ({ viewer: { id }, post, reply, beside }: Side) => [
  globalIdOf('User', id),
  globalIdOf('Post', post),
  ...[reply, beside].map((uuid) => globalIdOf('Reply', uuid)),
]

describe.each([
  ['who blocks', 0, 1],
  ['who is blocked', 1, 0],
] as const)('a viewer %s', (_which, mine, others) => {
  const sides = () => [pair.sides[mine], pair.sides[others]] as const

  test('finds nothing that the other published, by any lookup', async () => {
    const [{ viewer }, { post, reply, beside, replied }] = sides()
    const node = (type: string, uuid: string) => globalIdOf(type, uuid)
    const source = `{ post(uuid: "${post}") { uuid } reply(uuid: "${reply}") { uuid } node(id: "${node('Post', post)}") { id }
      publications(uuids: ["${post}", "${reply}", "${beside}", "${replied}"]) { uuid }
      nodes(ids: ["${node('Post', post)}", "${node('Reply', reply)}"]) { id } }`
    const nothing = { post: null, reply: null, node: null, nodes: [null, null] }
    expect(await read(viewer, source)).toEqual({ ...nothing, publications: [null, null, null, { uuid: replied }] })
    expect(await read(pair.third, source)).toMatchObject({ post: { uuid: post }, reply: { uuid: reply } })
  })

  test('sees the parent of a reply as a deleted one', async () => {
    const [{ viewer, reply }, { post, replied }] = sides()
    for (const uuid of [reply, replied]) {
      const source = `{ reply(uuid: "${uuid}") { parent { uuid } parentUuid } }`
      expect(await read(viewer, source)).toEqual({ reply: { parent: null, parentUuid: post } })
      const response = await app.rest(viewer.token, 'GET', `/post/${uuid}`)
      const parent = { uuid: post, author: null, content: null, created_at: null, deleted: true }
      expect(await response.json()).toMatchObject({ parent })
    }
  })

  test('reads no list that has the other, whichever way its pages are read', async () => {
    const [own, other] = sides()
    const hidden = new Set(hiddenIds(other))
    for (const connection of lists(other, own)) {
      const name = JSON.stringify(connection)
      const everybodys = idsOf(await readPage(app, pair.third.token, connection, 'first: 100'))
      const all = idsOf(await readPage(app, own.viewer.token, connection, 'first: 100'))
      for (const id of all) expect(hidden, name).not.toContain(id)
      if (connection.owner?.includes(other.viewer.id)) expect(all, name).toEqual([])
      else if (connection.owner !== 'viewer' && connection.field !== 'homeTimeline')
        expect(all, name).toEqual(everybodys.filter((id) => !hidden.has(id)))

      const pages = all.length === 0 ? [[]] : all.map((id) => [id])
      expect(await walk(app, own.viewer.token, connection, 1), name).toEqual(pages)
      expect(await walk(app, own.viewer.token, connection, 1, false), name).toEqual(pages)
      // Timelines have no numbered pages.
      for (const [at, ids] of connection.owner === undefined ? [] : pages.entries())
        expect(idsOf(await readPage(app, own.viewer.token, connection, `first: 1, offset: ${at}`)), name).toEqual(ids)
    }
  })

  test('reads the stored total of a list, or none', async () => {
    const [own, other] = sides()
    for (const connection of lists(other, own)) {
      const { totalCount } = await readPage(app, own.viewer.token, connection, 'first: 1')
      if (connection.owner === 'viewer') expect(totalCount).toBeNull()
      else expect(totalCount).toBe((await readPage(app, pair.third.token, connection, 'first: 1')).totalCount)
    }
  })

  test('may continue after the cursor of a hidden row', async () => {
    const [{ viewer }, { post }] = sides()
    const rows = { field: 'publicTimeline' }
    const page = await readPage(app, viewer.token, rows, `after: "${cursorOf(post)}"`)
    const all = await readPage(app, viewer.token, rows)
    const isAfter = (cursor: string) =>
      Buffer.compare(Buffer.from(cursor, 'base64url'), Buffer.from(cursorOf(post), 'base64url')) < 0
    expect(page.edges).toEqual(all.edges.filter(({ cursor }) => isAfter(cursor)))
  })

  test('still finds the profile of the other, with who blocks whom', async () => {
    const [{ viewer }, other] = sides()
    const fields = 'username followerCount viewerIsBlocking isBlockingViewer viewerIsFollowing followsViewer'
    const profile = {
      ...{ username: other.viewer.username, followerCount: 1, viewerIsFollowing: false, followsViewer: false },
      ...{ viewerIsBlocking: mine === 0, isBlockingViewer: mine === 1 },
    }
    const id = globalIdOf('User', other.viewer.id)
    const source = `{ user(by: { username: "${other.viewer.username}" }) { ${fields} }
      users(by: [{ uuid: "${other.viewer.id}" }]) { ${fields} } node(id: "${id}") { ... on User { ${fields} } } }`
    expect(await read(viewer, source)).toEqual({ user: profile, users: [profile], node: profile })
    expect((await app.rest(viewer.token, 'GET', `/user/@${other.viewer.username}`)).status).toBe(200)
    const posts = await app.rest(viewer.token, 'GET', `/user/@${other.viewer.username}/posts/1`)
    expect(await posts.json()).toEqual({ user: other.viewer.id, posts: [] })
  })

  test('sees no change by the other, and none of what it published, but the block', async () => {
    const [own, { viewer: other, post, reply, beside }] = sides()
    const sources = [
      ...[{ home: true }, { public: true }, { users: [other.id] }, { publications: [post, reply, beside] }],
      { repliesTo: [pair.postOfThird, post, own.post] },
    ]
    for (const of of sources) {
      const changes = await changesAfter(app, own.viewer, of, pair.start)
      const shown = changes.filter(({ kind }) => kind !== 'BLOCKED')
      expect(changes.length - shown.length).toBe(1)
      for (const { actorUuid, uuid } of shown) {
        expect(actorUuid).not.toBe(other.id)
        expect([post, reply, beside, other.id]).not.toContain(uuid)
      }
    }
    const block = await changesAfter(app, own.viewer, { home: true, kinds: ['BLOCKED'] }, pair.start)
    expect(inShort(block)).toEqual(['ada BLOCKED bob'])
  })

  test('does not see the other with a cursor of the feed, in a process that has not noticed the block yet', async () => {
    const [viewer, other] = [await app.person(), await app.person()]
    const uuid = await publish(app, other)
    const elsewhere = await startApp({}, sharing(app))
    const source = '{ changeCursor publicTimeline(first: 100) { nodes { uuid } } }'
    const found = async () => JSON.stringify((await elsewhere.graphql(viewer.token, source)).data)
    expect(await found()).toContain(uuid)
    await (mine === 0 ? setRelation(app, viewer, blocks, other.id) : setRelation(app, other, blocks, viewer.id))
    expect(await found()).not.toContain(uuid)
    await elsewhere.close()
  })

  test('gets no event of the other from a stream that was open before', async () => {
    const [viewer, other] = [await app.person(), await app.person()]
    const after = await settledCursor(app, viewer)
    const elsewhere = await startApp({}, sharing(app))
    const streams = await Promise.all(
      [app, elsewhere].map(async (from) => eventsOf(await subscribe(from, viewer, { variables: { after } }))),
    )
    await publish(app, viewer, { content: 'before' })
    for (const stream of streams) await take(stream, 1)
    await (mine === 0 ? setRelation(app, viewer, blocks, other.id) : setRelation(app, other, blocks, viewer.id))
    // The other process has looked up the session before the block.
    letTimePass()
    await publish(app, other, { content: 'hidden' })
    const uuid = await publish(app, pair.third, { content: 'shown' })
    for (const stream of streams)
      expect(await take(stream, 2)).toMatchObject([
        { data: { changes: { kind: 'BLOCKED' } } },
        { data: { changes: { kind: 'PUBLISHED', uuid } } },
      ])
    await Promise.all(streams.map((stream) => stream.return(undefined)))
    await elsewhere.close()
  })
})

test('others see no block, and everything that both accounts published', async () => {
  const [{ viewer, post }, { viewer: other, reply }] = pair.sides
  const of = { home: true, public: true, users: [viewer.id, other.id] }
  const changes = await changesAfter(app, pair.third, of, pair.start)
  expect(changes.map(({ kind }) => kind)).not.toContain('BLOCKED')
  expect(changes.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([post, reply]))
})

test('an account finds whom it blocks, and nobody else does', async () => {
  const [{ viewer }, { viewer: blocked }] = pair.sides
  const source = (id: string) => `{ user(by: { uuid: "${id}" }) { blocks { nodes { username } } } }`
  expect(await read(viewer, source(viewer.id))).toEqual({ user: { blocks: { nodes: [{ username: 'bob' }] } } })
  expect(await read(blocked, source(blocked.id))).toEqual({ user: { blocks: { nodes: [] } } })
  expect(await read(blocked, source(viewer.id))).toEqual({ user: { blocks: null } })
  expect(await (await app.rest(viewer.token, 'GET', '/user/@ada/blocks/1')).json()).toMatchObject({
    user: viewer.id,
    blocks: [{ username: 'bob' }],
  })
  expect((await app.rest(blocked.token, 'GET', '/user/@ada/blocks/1')).status).toBe(403)
})

test('a block hides at once, also in its own payload, and both are seen again at once after it', async () => {
  const [one, other] = [await app.person(), await app.person()]
  const uuid = await publish(app, other)
  const posts = 'user { posts { nodes { uuid } } }'
  const set = (blocked: boolean) =>
    read(one, `mutation { setBlock(input: { uuid: "${other.id}", blocked: ${blocked} }) { action ${posts} } }`)
  const found = (uuids: string[]) => ({ user: { posts: { nodes: uuids.map((uuid) => ({ uuid })) } } })
  const source = `{ user(by: { uuid: "${other.id}" }) { posts { nodes { uuid } } } }`
  expect(await read(one, source)).toEqual(found([uuid]))
  expect(await set(true)).toEqual({ setBlock: { action: 'BLOCKED', ...found([]) } })
  expect(await read(one, source)).toEqual(found([]))
  expect(await set(false)).toEqual({ setBlock: { action: 'UNBLOCKED', ...found([uuid]) } })
  expect(await read(one, source)).toEqual(found([uuid]))
})

test('an entity tag from before a block is of another state than the one after it', async () => {
  const [one, other] = [await app.person(), await app.person()]
  const post = await publish(app, other)
  const reply = await publish(app, one, { parent: post })
  const get = async (uuid: string, etag?: string | null) =>
    app.rest(one.token, 'GET', `/post/${uuid}`, undefined, etag ? { 'if-none-match': etag } : {})
  const tags = await Promise.all([post, reply].map(async (uuid) => (await get(uuid)).headers.get('etag')))
  expect((await get(reply, tags[1])).status).toBe(304)
  await setRelation(app, other, blocks, one.id)
  expect((await get(post, tags[0])).status).toBe(404)
  const changed = await get(reply, tags[1])
  expect([changed.status, await changed.json()]).toMatchObject([200, { parent: { deleted: true, content: null } }])
})

test('another process hides within the time that it keeps viewers', async () => {
  const [one, other] = [await app.person(), await app.person()]
  const uuid = await publish(app, other)
  const elsewhere = await startApp({}, sharing(app))
  const source = `{ post(uuid: "${uuid}") { uuid } }`
  expect(await read(one, source, elsewhere)).toEqual({ post: { uuid } })
  await setRelation(app, other, blocks, one.id)
  letTimePass()
  expect(await read(one, source, elsewhere)).toEqual({ post: null })
  await elsewhere.close()
})

test('another process hides at once for who reads after a position, but not from moderators', async () => {
  const [one, other] = [await app.person(), await app.person()]
  const uuid = await publish(app, other)
  const moderator = await app.token(one, [...commonScopes, 'moderation.manage'])
  const elsewhere = await startApp({}, sharing(app))
  const statusOf = async (token: string, headers = {}) =>
    (await elsewhere.rest(token, 'GET', `/post/${uuid}`, undefined, headers)).status
  const after = { 'rookery-after': '0000000000000001' }
  for (const token of [one.token, moderator]) expect(await statusOf(token)).toBe(200)
  await setRelation(app, other, blocks, one.id)
  expect(await statusOf(one.token, after)).toBe(404)
  expect(await statusOf(moderator, after)).toBe(200)
  await elsewhere.close()
})

test('the payload of a sign-in leaves out what is hidden from the account, also with the token of another', async () => {
  const username = 'signs_in'
  const uuidOf = (data: unknown) =>
    z.object({ signUp: z.object({ viewer: z.object({ uuid: z.string() }) }) }).parse(data)
  const { uuid } = uuidOf((await signUp(app, { username })).data).signUp.viewer
  const [other, third] = [await app.person(), await app.person()]
  await publish(app, other)
  const shown = await publish(app, third)
  for (const author of [other, third]) {
    await setRelation(app, author, follows, uuid)
    await setRelation(app, author, likes, shown)
  }
  await setRelation(app, other, blocks, uuid)
  const source = `mutation { signIn(input: { username: "${username}", password: "${password}" }) {
    viewer { followers { nodes { posts { nodes { uuid likers { nodes { uuid } } } } } } } } }`
  const post = { uuid: shown, likers: { nodes: [{ uuid: third.id }] } }
  const followers = { nodes: [{ posts: { nodes: [post] } }] }
  expect(await read(other, source)).toEqual({ signIn: { viewer: { followers } } })
})

const priced = z.object({ rateLimit: z.object({ cost: z.number() }) })

test('a dry run costs the same for viewers from whom somebody is hidden', async () => {
  const source = '{ publicTimeline { nodes { uuid replies { nodes { uuid } } } } rateLimit(dryRun: true) { cost } }'
  const costOf = async (viewer: Person) => priced.parse(await read(viewer, source)).rateLimit.cost
  expect(await costOf(pair.sides[0].viewer)).toBe(await costOf(pair.third))
})
