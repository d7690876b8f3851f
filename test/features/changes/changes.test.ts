import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import {
  askForChanges,
  changesAfter,
  inShort,
  pageOfChanges,
  settledCursor,
  untilSettled,
} from '../../support/graphql/changes.ts'
import { eventsOf, subscribe, take } from '../../support/graphql/events.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
let cyd: Person
let dan: Person
let start: string
const uuids: Record<string, string> = {}

const named = async (content: string, author: Person, parent?: string) => {
  uuids[content] = await publish(app, author, { content, ...(parent && { parent: uuids[parent] ?? '' }) })
}
const like = (person: Person, name: string, liked = true) =>
  mutate(app, person, 'setLike', { uuid: uuids[name], liked }, 'action')
const follow = (person: Person, { id: uuid }: Person, followed = true) =>
  mutate(app, person, 'setFollow', { uuid, followed }, 'action')
const remove = (person: Person, name: string) =>
  mutate(app, person, 'deletePost', { uuid: uuids[name] }, 'publication { uuid }')

beforeAll(async () => {
  app = await startApp()
  ;[ada, bob, cyd, dan] = [
    await app.person('ada'),
    await app.person('bob'),
    await app.person('cyd'),
    await app.person('dan'),
  ]
  await follow(ada, bob)
  start = await settledCursor(app, ada)
  await named('adas', ada)
  await named('bobs', bob)
  await named('cyds', cyd)
  await named('bob to cyd', bob, 'cyds')
  await named('cyd to bob', cyd, 'bobs')
  await named('gone', bob)
  await like(cyd, 'adas')
  await like(ada, 'cyd to bob')
  await like(ada, 'cyd to bob')
  await like(dan, 'gone')
  await mutate(app, bob, 'updatePost', { uuid: uuids.bobs, locked: true }, 'publication { uuid }')
  await like(bob, 'cyds')
  await like(bob, 'cyds', false)
  await remove(bob, 'gone')
  await follow(cyd, ada)
  await follow(bob, cyd)
  await follow(bob, cyd, false)
})
afterAll(() => app.close())

const kindsIn = z.object({ changes: z.object({ nodes: z.array(z.object({ kind: z.string() })) }) })
const askForKinds = async ({ token }: Person, after: string) => {
  await untilSettled(app)
  const { data } = await app.graphql(token, `{ changes(of: { home: true }, after: "${after}") { nodes { kind } } }`)
  return kindsIn.parse(data).changes.nodes
}
const read = async (of: object, viewer: Person = ada) => inShort(await changesAfter(app, viewer, of, start))

describe('a filter selects', () => {
  test('by home what the viewer and followed accounts write, and what concerns the viewer alone', async () => {
    expect(await read({ home: true })).toEqual([
      'ada PUBLISHED adas',
      'bob PUBLISHED bobs',
      'bob PUBLISHED bob to cyd',
      'bob PUBLISHED nothing',
      'ada LIKED cyd to bob',
      'bob EDITED bobs',
      'bob DELETED nothing',
      'cyd FOLLOWED ada',
    ])
  })

  test('by public the posts of everybody', async () => {
    expect(await read({ public: true }, dan)).toEqual([
      'ada PUBLISHED adas',
      'bob PUBLISHED bobs',
      'cyd PUBLISHED cyds',
      'bob PUBLISHED nothing',
      'bob EDITED bobs',
      'bob DELETED nothing',
    ])
  })

  test('by publications and repliesTo everything about them, with the likes of others', async () => {
    expect(await read({ publications: [uuids.adas, uuids.cyds], repliesTo: [uuids.bobs] })).toEqual([
      'ada PUBLISHED adas',
      'cyd PUBLISHED cyds',
      'cyd PUBLISHED cyd to bob',
      'cyd LIKED adas',
      'ada LIKED cyd to bob',
      'bob LIKED cyds',
      'bob UNLIKED cyds',
    ])
  })

  test('by threads everything about whole threads, named by any of their publications', async () => {
    const conversation = ['cyd PUBLISHED cyds', 'bob PUBLISHED bob to cyd', 'bob LIKED cyds', 'bob UNLIKED cyds']
    expect(await read({ threads: [uuids.cyds] })).toEqual(conversation)
    expect(await read({ threads: [uuids['bob to cyd']] })).toEqual(conversation)
    expect(await read({ threads: [uuids.gone], kinds: ['DELETED'] })).toEqual(['bob DELETED nothing'])
    expect(await read({ threads: [] })).toEqual([])
  })

  test('by users what they write and whom they follow, but the likes of the viewer only', async () => {
    const own = ['cyd PUBLISHED cyds', 'cyd PUBLISHED cyd to bob']
    const follows = ['cyd FOLLOWED ada', 'bob FOLLOWED cyd', 'bob UNFOLLOWED cyd']
    expect(await read({ users: [cyd.id] })).toEqual([...own, ...follows])
    expect(await read({ users: [cyd.id] }, cyd)).toEqual([...own, 'cyd LIKED adas', ...follows])
  })

  test('only some kinds of any source', async () => {
    expect(await read({ home: true, public: true, users: [cyd.id], kinds: ['EDITED', 'FOLLOWED'] })).toEqual([
      'bob EDITED bobs',
      'cyd FOLLOWED ada',
      'bob FOLLOWED cyd',
    ])
    expect(await read({ public: true, kinds: [] })).toEqual([])
  })
})

test('an edit of a profile is shown to its account alone', async () => {
  const eve = await app.person('eve')
  await follow(ada, eve)
  const after = await settledCursor(app, ada)
  await mutate(app, eve, 'updateProfile', { username: 'eva' }, 'viewer { username }')
  await mutate(app, eve, 'updateProfile', { bio: 'hi' }, 'viewer { username }')
  await mutate(app, eve, 'updateProfile', { bio: 'hi' }, 'viewer { username }')
  const of = { home: true, public: true, users: [eve.id] }
  expect(inShort(await changesAfter(app, eve, of, after))).toEqual(['eva PROFILE_EDITED eva', 'eva PROFILE_EDITED eva'])
  expect(await changesAfter(app, eve, { users: [eve.id] }, after)).toEqual([])
  for (const other of [ada, bob]) expect(await changesAfter(app, other, of, after)).toEqual([])
})

test('a change has its time and keeps the UUID of what was deleted', async () => {
  const found = await changesAfter(app, ada, { publications: [uuids.gone] }, start)
  expect(found).toMatchObject(
    ['PUBLISHED', 'LIKED', 'DELETED'].map((kind) => ({ kind, uuid: uuids.gone, publication: null })),
  )
  const times = found.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(Math.abs(Date.now() - (times[0] ?? 0))).toBeLessThan(60_000)
})

test('the resolvers return what the one statement returns', async () => {
  const source = (extra: string) =>
    'query ($after: String) { changes(of: { home: true }, after: $after) { nodes { kind at uuid ' +
    `publication { __typename content } } } ${extra} }`
  const [one, resolved] = await Promise.all(
    ['', 'rateLimit { cost }'].map((extra) => app.graphql(ada.token, source(extra), { after: start })),
  )
  expect(one?.errors).toEqual([])
  expect(resolved?.data).toMatchObject(one?.data ?? {})
})

test.each([
  [{}, 'of'],
  [{ home: false, public: null, kinds: ['LIKED'] }, 'of'],
  [{ publications: Array(101).fill('01900000-0000-7000-8000-000000000000') }, 'of.publications'],
])('the filter %j is refused', async (of, field) => {
  for (const after of [undefined, start]) {
    const { data, errors } = await askForChanges(app, ada, { of, after })
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field }] } }])
  }
})

describe('a token without the scopes of some kinds', () => {
  const unable = async (...missing: readonly string[]) => ({
    ...ada,
    token: await app.token(
      ada,
      scopes.filter((scope) => !missing.includes(scope)),
    ),
  })

  test('gets what it may see, from queries and subscriptions', async () => {
    for (const missing of ['user.following.get', 'user.followers.get']) {
      const viewer = await unable(missing)
      for (const of of [{ home: true }, { users: [cyd.id, ada.id] }]) {
        const seen = (await changesAfter(app, ada, of, start)).filter(({ kind }) => !kind.endsWith('FOLLOWED'))
        expect(seen.length).toBeGreaterThan(0)
        expect(inShort(await changesAfter(app, viewer, of, start))).toEqual(inShort(seen))
        const events = eventsOf(await subscribe(app, viewer, { variables: { of, after: start } }))
        const found = await take(events, seen.length)
        await events.return(undefined)
        expect(found.map(({ data }) => data?.changes.cursor)).toEqual(seen.map(({ cursor }) => cursor))
      }
    }
    const few = await app.token(ada, ['post.get', 'reply.get'])
    const kinds = (await askForKinds(ada, start)).filter(({ kind }) => kind !== 'FOLLOWED')
    expect(await askForKinds({ ...ada, token: few }, start)).toEqual(kinds)
  })

  test('is refused what the filter names', async () => {
    const required = [['USER_FOLLOWING_GET', 'USER_FOLLOWERS_GET']]
    const viewer = await unable('user.followers.get')
    const ask = (of: object) => askForChanges(app, viewer, { of, after: start })
    for (const of of [{ public: true }, { users: [bob.id] }])
      expect(await ask({ ...of, kinds: ['LIKED', 'UNFOLLOWED'] })).toMatchObject({
        status: 403,
        errors: [
          {
            message:
              'The kind `UNFOLLOWED` requires a token with the scopes user.following.get and user.followers.get.',
            extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: required },
          },
        ],
      })
    for (const of of [
      { home: true, kinds: null },
      { home: true, users: [bob.id], kinds: ['LIKED'] },
    ])
      expect((await ask(of)).errors).toEqual([])
  })

  test('is told of its account with the scope of profiles alone', async () => {
    const after = await settledCursor(app, ada)
    await mutate(app, ada, 'updateProfile', { bio: 'New' }, 'viewer { username }')
    await mutate(app, dan, 'setBlock', { uuid: ada.id, blocked: true }, 'action')
    await mutate(app, dan, 'setBlock', { uuid: ada.id, blocked: false }, 'action')
    const kinds = async (missing: string) => (await askForKinds(await unable(missing), after)).map(({ kind }) => kind)
    expect(await kinds('user.followers.get')).toEqual(['PROFILE_EDITED', 'BLOCKED', 'UNBLOCKED'])
    expect(await kinds('user.get')).toEqual([])
  })
})

test('the price of a page follows the lists of its filter', async () => {
  const costOf = async (of: object) => {
    const { headers } = await askForChanges(app, ada, { of, after: start })
    return Number(headers.get('rookery-cost'))
  }
  const least = await costOf({ home: true })
  const uuids = Array.from({ length: 100 }, () => cyd.id)
  expect(await costOf({ publications: uuids.slice(0, 10), users: uuids })).toBe(least + 110)
  const hashtags = Array.from({ length: 100 }, (_, nth) => `tag${nth}`)
  expect(await costOf({ hashtags })).toBe(least + 250)
})

test.each([undefined, 0, 1, 100])('without a cursor, a page of size %s is empty and ends now', async (first) => {
  const now = { nodes: [], pageInfo: { endCursor: await settledCursor(app, ada), hasNextPage: false } }
  for (const of of [{ public: true }, { home: true, kinds: [] }])
    for (const after of [undefined, null]) expect(await pageOfChanges(app, ada, { of, after, first })).toEqual(now)
  const source =
    `{ changes(of: { public: true }${first === undefined ? '' : `, first: ${first}`}) { nodes { kind } ` +
    'pageInfo { endCursor hasNextPage } } }'
  expect((await app.graphql(ada.token, source)).data).toEqual({ changes: now })
})

describe('a cursor', () => {
  const unknown = Buffer.from('000000000000000000000000000000ff', 'hex').toString('base64url')
  test.each([
    'changes(of: { public: true }, after: "%") { nodes { uuid } }',
    'changes(of: { public: true }, after: "%") { nodes { uuid } } rateLimit { cost }',
  ])('that names no stored change has expired: %s', async (fields) => {
    const { status, data, errors } = await app.graphql(ada.token, `{ ${fields.replace('%', unknown)} }`)
    expect({ status, data }).toMatchObject({ status: 200, data: null })
    expect(errors).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' }, path: ['changes'] }])
  })

  test('of another form is refused', async () => {
    const { errors } = await askForChanges(app, ada, { of: { public: true }, after: 'nonsense' })
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'after' }] } }])
  })
})
