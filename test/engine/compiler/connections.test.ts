import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { follows, likes, type Relation, relations, relationsTo } from '../../../src/features/base/relations.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator, report } from '../../support/graphql/moderation.ts'
import { type Connection, idsOf, type Page, pageDocument, readPage } from '../../support/graphql/pages.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

/** The relations that do not hide their objects from others. */
const seen = relations.filter((it) => it.objectType === 'publication' || it.hidesFrom !== 'both')

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await moderator(app, 'ada')
  const others = await people(app, 7)
  post = await publish(app, ada)
  // Replies and follows are in another order than the accounts.
  for (const person of [3, 0, 6, 1, 5, 2, 4].map((index) => others[index] ?? ada)) {
    const published = await publish(app, person, { content: 'A post' })
    const reply = await publish(app, person, { content: 'A reply', parent: post })
    for (const [liker, liked] of [
      [person, post],
      [ada, reply],
      [ada, published],
    ] as const) {
      for (const relation of relationsTo('publication')) await toggleRelation(app, liker, relation, liked)
    }
    for (const relation of seen.filter(({ objectType }) => objectType === 'user')) {
      await toggleRelation(app, ada, relation, person.id)
      if (relation.actors) await toggleRelation(app, person, relation, ada.id)
    }
    await app.token(ada, ['post.get'])
    await report(app, ada, person.id)
    await setSuspended(app.database, 'operator', { uuid: person.id }, true)
    const { prisma } = app.database.write
    await prisma.appeal.create({ data: { id: newId(), userId: person.id, text: 'Please' } })
    const answered = { state: 'REJECTED', answeredAt: new Date(), answer: 'No' } as const
    await prisma.appeal.create({ data: { id: newId(), userId: ada.id, text: 'Please', ...answered } })
    const { id: applicationId } = await prisma.application.create({
      data: { id: newId(), ownerId: ada.id, name: 'A client' },
    })
    const expiresAt = new Date(Date.now() + 1_000_000)
    await prisma.invitation.create({
      data: { id: newId(), creatorId: ada.id, hash: Buffer.from(newId()), maxUses: 1, expiresAt },
    })
    await prisma.oauthGrant.create({
      data: { id: newId(), userId: ada.id, applicationId, scopes: ['post.get'], expiresAt },
    })
  }
})
afterAll(() => app.close())

const ofPost = () => `post(uuid: "${post}")`

type List = readonly [name: string, field: string, owner?: () => string, total?: number | null]

/** The lists of a relation. */
function listsOf(relation: Relation): readonly List[] {
  const { objectType, objects, actors, objectCounter } = relation
  const owner = objectType === 'user' ? () => 'viewer' : ofPost
  const isCounted = objectType === 'user' && relation.actorCounter !== undefined
  return [
    [objects.field, objects.field, () => 'viewer', isCounted ? 7 : null],
    ...(actors ? [[actors.field, actors.field, owner, objectCounter ? 7 : null] as const] : []),
  ]
}

const connections: readonly List[] = [
  ['replies', 'replies', ofPost, 7],
  ['thread', 'thread', ofPost],
  ['posts of a user', 'posts', () => 'user(by: { username: "ada" })'],
  ['replies of a user', 'replies', () => 'user(by: { username: "ada" })'],
  ['publications with a hashtag', 'publications', () => 'hashtag(name: "one")', 13],
  ['home timeline', 'homeTimeline'],
  ['public timeline', 'publicTimeline'],
  ['access tokens', 'accessTokens'],
  ['applications', 'applications'],
  ['authorizations', 'authorizations'],
  ['reports', 'reports'],
  ['appeals', 'appeals'],
  ['appeals of the viewer', 'appeals', () => 'viewer'],
  ['the moderation log', 'moderationLog'],
  ['invitations', 'invitations'],
  ['all invitations', 'allInvitations'],
  ...seen.flatMap(listsOf),
]
const read = (connection: Connection, args?: string) => readPage(app, ada.token, connection, args)

beforeAll(async () => {
  for (let count = 0; count < 6; count++) await publish(app, ada, { content: '#One #one more' })
  for (let count = 0; count < 7; count++) await publish(app, ada, { content: '#one', parent: await publish(app, ada) })
})

const directions = [
  { size: 'first', from: 'after', cursor: 'endCursor', more: 'hasNextPage', less: 'hasPreviousPage' },
  { size: 'last', from: 'before', cursor: 'startCursor', more: 'hasPreviousPage', less: 'hasNextPage' },
] as const

describe.for(connections)('%s', ([_name, field, owner, total = null]) => {
  const connectionOf = (): Connection => ({
    field,
    hasGlobalIds: !['reports', 'moderationLog', 'invitations', 'allInvitations'].includes(field),
    ...(owner && { owner: owner() }),
  })

  test.each(directions)('pages by $size and $from have every element once and in order', async (direction) => {
    const { size, from, cursor, more, less } = direction
    const connection = connectionOf()
    const all = idsOf(await read(connection, 'first: 100'))
    expect(all.length).toBeGreaterThanOrEqual(7)
    const pages: Page[] = []
    for (let at: string | null = null, isMore = true; isMore; ) {
      const page = await read(connection, at === null ? `${size}: 3` : `${size}: 3, ${from}: "${at}"`)
      expect(page.pageInfo).toEqual({
        [less]: at !== null,
        [more]: pages.length < Math.ceil(all.length / 3) - 1,
        startCursor: page.edges.at(0)?.cursor,
        endCursor: page.edges.at(-1)?.cursor,
      })
      expect(page.nodes).toEqual(page.edges.map(({ node }) => node))
      expect(page.totalCount).toBe(total)
      pages.push(page)
      at = page.pageInfo[cursor]
      isMore = page.pageInfo[more]
    }
    expect((size === 'first' ? pages : pages.toReversed()).flatMap(idsOf)).toEqual(all)
  })

  test.each([
    ['first: -1', ['first']],
    ['first: 101', ['first']],
    ['first: 1000000', ['first']],
    ['last: 101', ['last']],
    ['first: 1, last: 1', ['last']],
    ['after: "nonsense"', ['after']],
    ['before: ""', ['before']],
    ['after: "AZAAAAAAcACAAAAAAAAAAR"', ['after']],
    ['first: 200, after: "%", before: "%"', ['first', 'after', 'before']],
  ])('refuses %s', async (args, fields) => {
    const { data, errors } = await app.graphql(ada.token, pageDocument(connectionOf(), args))
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_FAILED',
          errors: fields.map((field) => ({ field, message: expect.any(String) })),
        },
      },
    ])
  })
})

test('an offset out of bounds is refused', async () => {
  const connection = { owner: ofPost(), field: 'replies' }
  for (const offset of [-1, 1_000_001]) {
    const { errors } = await app.graphql(ada.token, pageDocument(connection, `offset: ${offset}`))
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'offset' }] } }])
  }
})

test('a page has 20 elements by default and at most 100', async () => {
  for (let count = 0; count < 100; count++) {
    const data = { id: newId(), authorId: ada.id, content: `Post ${count}` }
    await app.database.write.prisma.publication.create({ data })
  }
  const all = idsOf(await read({ field: 'publicTimeline' }, 'first: 100'))
  expect(all).toHaveLength(100)
  expect(idsOf(await read({ field: 'publicTimeline' }))).toEqual(all.slice(0, 20))
})

test('the cursor of a deleted publication stays valid, and pages skip the publication', async () => {
  const thread = await publish(app, ada)
  const replies: string[] = []
  for (let count = 0; count < 8; count++) replies.push(await publish(app, ada, { parent: thread }))
  const ids = replies.map((uuid) => globalIdOf('Reply', uuid))
  const connection = { owner: `post(uuid: "${thread}")`, field: 'replies' }
  const { pageInfo } = await read(connection, 'first: 3')
  for (const index of [2, 3, 7]) {
    expect((await app.rest(ada.token, 'DELETE', `/post/${replies[index]}`)).status).toBe(200)
  }
  const after = await read(connection, `first: 2, after: "${pageInfo.endCursor}"`)
  expect(idsOf(after)).toEqual(ids.slice(4, 6))
  expect(after).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true } })
  const last = await read(connection, `first: 1, after: "${after.pageInfo.endCursor}"`)
  expect(idsOf(last)).toEqual(ids.slice(6, 7))
  expect(last.pageInfo.hasNextPage).toBe(false)
  const before = await read(connection, `last: 5, before: "${pageInfo.endCursor}"`)
  expect(idsOf(before)).toEqual(ids.slice(0, 2))
  expect(before.pageInfo.hasPreviousPage).toBe(false)
})

test('follows have their own order, and a cursor stays valid after the follow ends', async () => {
  const viewer = await app.person()
  const [first, second, third, fourth] = (await people(app, 4)).map(({ id }) => id)
  const toggle = (uuid = '') => toggleRelation(app, viewer, follows, uuid)
  const idsFor = (...uuids: (string | undefined)[]) => uuids.map((uuid = '') => globalIdOf('User', uuid))
  for (const id of [third, first, fourth, second]) await toggle(id)
  const connection = { owner: 'viewer', field: 'following' }
  const page = await readPage(app, viewer.token, connection, 'first: 2')
  expect(idsOf(page)).toEqual(idsFor(second, fourth))
  await toggle(fourth)
  const rest = await readPage(app, viewer.token, connection, `after: "${page.pageInfo.endCursor}"`)
  expect(idsOf(rest)).toEqual(idsFor(first, third))
  // A user who is followed again becomes the newest.
  await toggle(fourth)
  const again = await readPage(app, viewer.token, connection)
  expect(idsOf(again)).toEqual(idsFor(fourth, second, first, third))
  expect(again.totalCount).toBe(4)
})

test('a like that is set again keeps its place, and one that is made again is the newest', async () => {
  const [uuid, bob] = [await publish(app, ada), await app.person('bob')]
  const setLike = (person: Person, liked: boolean) => setRelation(app, person, likes, uuid, liked)
  const expectLikers = async (...likers: Person[]) => {
    const page = await read({ owner: `post(uuid: "${uuid}")`, field: 'likers' })
    expect(idsOf(page)).toEqual(likers.map(({ id }) => globalIdOf('User', id)))
  }
  await setLike(ada, true)
  await setLike(bob, true)
  await setLike(ada, true)
  await expectLikers(bob, ada)
  await setLike(ada, false)
  await expectLikers(bob)
  await setLike(ada, true)
  await expectLikers(ada, bob)
})

describe.each([
  ['users', 'query ($list: [UserBy!]!) { users(by: $list) { id } }', 'by', (): unknown => ({ username: 'ada' })],
  ['publications', 'query ($list: [UUID!]!) { publications(uuids: $list) { id } }', 'uuids', (): unknown => post],
] as const)('%s', (name, source, argument, item) => {
  test('finds nothing for an empty list, and at most 100 at once', async () => {
    for (const length of [0, 100]) {
      const answer = await app.graphql(ada.token, source, { list: Array.from({ length }, item) })
      expect(answer).toMatchObject({ data: { [name]: { length } }, errors: [] })
    }
    const { data, errors } = await app.graphql(ada.token, source, { list: Array.from({ length: 101 }, item) })
    expect(data).toBeUndefined()
    const refusals = [{ field: argument, message: 'must have at most 100 elements' }]
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: refusals } }])
  })
})
