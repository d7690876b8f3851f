import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { follows, likes, mutes } from '../../../src/features/base/relations.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { idsOf, readPage, walk } from '../../support/graphql/pages.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
let muted: Person
let heard: Person
/** The position before the posts, which the three accounts sent in turns, oldest first. */
let start: string
let posts: { readonly uuid: string; readonly by: Person }[]
let reply: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  muted = await app.person('muted')
  heard = await app.person('heard')
  for (const other of [muted, heard]) {
    await setRelation(app, ada, follows, other.id)
    await setRelation(app, other, follows, ada.id)
  }
  start = await settledCursor(app, ada)
  posts = []
  for (let round = 0; round < 4; round += 1)
    for (const by of [muted, ada, muted, heard]) posts.push({ uuid: await publish(app, by), by })
  reply = await publish(app, muted, { content: 'A reply', parent: postsOf(ada)[0] ?? '' })
  await setRelation(app, muted, likes, postsOf(ada)[0] ?? '')
  await setRelation(app, ada, mutes, muted.id)
})
afterAll(() => app.close())

const postsOf = (...people: readonly Person[]) => posts.filter(({ by }) => people.includes(by)).map(({ uuid }) => uuid)
const read = async ({ token }: Person, source: string) => {
  const { data, errors } = await app.graphql(token, source)
  expect(errors).toEqual([])
  return data
}
const endMutes = () => app.database.write.prisma.mute.updateMany({ data: { until: new Date(Date.now() - 1_000) } })

describe.each([
  ['homeTimeline', 0],
  ['homeTimeline', 1_000],
  ['publicTimeline', 0],
])('the %s of who follows %i and mutes somebody', (field, followingCount) => {
  let token: string
  beforeAll(async () => {
    await app.database.write.prisma.user.update({ where: { id: ada.id }, data: { followingCount } })
    token = await app.token(ada, commonScopes)
  })

  test('has full pages of everything else', async () => {
    const shown = postsOf(ada, heard)
      .map((uuid) => globalIdOf('Post', uuid))
      .toReversed()
    expect(idsOf(await readPage(app, token, { field }, 'first: 100'))).toEqual(shown)
    const [a, b, c, d, e, f, g, h] = shown
    expect(await walk(app, token, { field }, 3)).toEqual([
      [a, b, c],
      [d, e, f],
      [g, h],
    ])
    expect(await walk(app, token, { field }, 3, false)).toEqual([
      [a, b],
      [c, d, e],
      [f, g, h],
    ])
  })
})

test('everything is found elsewhere: by lookups, on the profile, in threads and as who likes and follows', async () => {
  const [parent, post] = [postsOf(ada)[0], postsOf(muted)[0]]
  const all = await read(
    ada,
    `{ post(uuid: "${post}") { uuid } publications(uuids: ["${reply}"]) { uuid }
      user(by: { username: "muted" }) { viewerIsMuting posts { nodes { uuid } } replies { nodes { uuid } } }
      thread: post(uuid: "${parent}") { replies { nodes { uuid author { username } } } likers { nodes { username } } }
      viewer { following { nodes { username } } mutes { nodes { username } } } }`,
  )
  const nodes = (...all: readonly unknown[]) => ({ nodes: all })
  expect(all).toEqual({
    post: { uuid: post },
    publications: [{ uuid: reply }],
    user: {
      viewerIsMuting: true,
      posts: nodes(
        ...postsOf(muted)
          .toReversed()
          .map((uuid) => ({ uuid })),
      ),
      replies: nodes({ uuid: reply }),
    },
    thread: {
      replies: nodes({ uuid: reply, author: { username: 'muted' } }),
      likers: nodes({ username: 'muted' }),
    },
    viewer: { following: nodes({ username: 'heard' }, { username: 'muted' }), mutes: nodes({ username: 'muted' }) },
  })
})

const byMuted = async (of: Record<string, unknown>) => {
  const changes = await changesAfter(app, ada, { ...of, kinds: ['PUBLISHED'] }, start)
  return changes.filter(({ actorUuid }) => actorUuid === muted.id).map(({ uuid }) => uuid)
}

test('the change feed leaves its publications out of timelines alone', async () => {
  const [parent = '', post = ''] = [postsOf(ada)[0], postsOf(muted)[0]]
  expect(await byMuted({ home: true })).toEqual([])
  expect(await byMuted({ public: true })).toEqual([])
  expect(await byMuted({ users: [muted.id], home: true })).toEqual([...postsOf(muted), reply])
  expect(await byMuted({ publications: [post], public: true })).toEqual([post])
  expect(await byMuted({ repliesTo: [parent] })).toEqual([reply])
  expect((await changesAfter(app, ada, { home: true }, start)).map(({ uuid }) => uuid)).toEqual(
    expect.arrayContaining(postsOf(ada, heard)),
  )
})

test('nobody else sees a mute, and the change feed has none', async () => {
  const [one, other] = [await app.person(), await app.person()]
  await setRelation(app, other, follows, one.id)
  await publish(app, one)
  await settledCursor(app, one)
  const seen = `{ changeCursor homeTimeline { nodes { uuid version } } publicTimeline { nodes { uuid version } }
    viewer { version followers { nodes { username } } }
    user(by: { uuid: "${other.id}" }) {
      version viewerIsMuting viewerIsFollowing followsViewer mutes { nodes { uuid } } following { nodes { username } }
    } }`
  const before = await read(one, seen)
  expect(before).toMatchObject({ user: { mutes: null, viewerIsMuting: false } })
  await setRelation(app, other, mutes, one.id)
  expect(await read(one, seen)).toEqual(before)
  expect((await app.rest(one.token, 'GET', `/user/${other.id}/mutes/1`)).status).toBe(403)
})

describe('a mute that ends', () => {
  let one: Person
  let other: Person
  let uuid: string
  beforeAll(async () => {
    one = await app.person()
    other = await app.person()
    await setRelation(app, one, follows, other.id)
    uuid = await publish(app, other)
  })

  const mute = (until: string | null) =>
    mutate(app, one, 'setMute', { uuid: other.id, muted: true, until }, 'action user { viewerIsMuting }')
  const later = '9999-01-01T00:00:00.000Z'
  const state = () =>
    read(
      one,
      `{ homeTimeline { nodes { uuid } } viewer { mutes { nodes { uuid } } numbered: mutes(offset: 0) { nodes { uuid } } }
        user(by: { uuid: "${other.id}" }) { viewerIsMuting } }`,
    )
  const stateOf = (isMuted: boolean) => {
    const list = { nodes: isMuted ? [{ uuid: other.id }] : [] }
    return {
      homeTimeline: { nodes: isMuted ? [] : [{ uuid }] },
      viewer: { mutes: list, numbered: list },
      user: { viewerIsMuting: isMuted },
    }
  }

  test('takes effect at once, and has none after its time', async () => {
    expect(await state()).toEqual(stateOf(false))
    expect((await mute(later)).data).toEqual({ setMute: { action: 'MUTED', user: { viewerIsMuting: true } } })
    expect(await state()).toEqual(stateOf(true))
    await endMutes()
    expect(await state()).toEqual(stateOf(false))
    const changes = await changesAfter(app, one, { home: true, kinds: ['PUBLISHED'] }, start)
    expect(changes.map((change) => change.uuid)).toContain(uuid)
  })

  test('is set and toggled as if it were not there after its time', async () => {
    await mute(later)
    await endMutes()
    expect(outcomeOf(await toggleRelation(app, one, mutes, other.id))).toBe('MUTED')
    expect(await state()).toEqual(stateOf(true))
    expect(outcomeOf(await toggleRelation(app, one, mutes, other.id))).toBe('UNMUTED')
    await mute(later)
    await endMutes()
    expect(outcomeOf(await setRelation(app, one, mutes, other.id, false))).toBe('UNMUTED')
    expect(await state()).toEqual(stateOf(false))
  })

  test('gets another time when it is set again, or none', async () => {
    const { prisma } = app.database.write
    const until = async () => (await prisma.mute.findFirst({ where: { muterId: one.id } }))?.until ?? null
    await mute('2999-01-01T00:00:00.000Z')
    await mute(later)
    expect(await until()).toEqual(new Date(later))
    await mute(null)
    expect(await until()).toBeNull()
  })

  test('cannot end in the past', async () => {
    const { errors } = await mute('2001-01-01T00:00:00.000Z')
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'until' }] } }])
  })
})
