import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { type Connection, idsOf, type Page, pageDocument, readPage } from '../support/pages.ts'
import { people, publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
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
      await app.graphql(liker.token, `mutation { toggleLike(input: { uuid: "${liked}" }) { action } }`)
    }
    for (const [follower, followee] of [
      [ada, person],
      [person, ada],
    ] as const) {
      await app.graphql(follower.token, `mutation { toggleFollow(input: { uuid: "${followee.id}" }) { action } }`)
    }
    await app.token(ada, ['post.get'])
    await app.database.write.prisma.application.create({ data: { id: newId(), ownerId: ada.id, name: 'A client' } })
  }
})
afterAll(() => app.close())

const ofPost = () => `post(uuid: "${post}")`
const connections: readonly (readonly [name: string, field: string, owner?: () => string, total?: number])[] = [
  ['replies', 'replies', ofPost, 7],
  ['posts of a user', 'posts', () => 'user(by: { username: "ada" })'],
  ['following', 'following', () => 'viewer', 7],
  ['followers', 'followers', () => 'viewer', 7],
  ['likers', 'likers', ofPost, 7],
  ['likes', 'likes', () => 'viewer'],
  ['home timeline', 'homeTimeline'],
  ['public timeline', 'publicTimeline'],
  ['access tokens', 'accessTokens'],
  ['applications', 'applications'],
]
const read = (connection: Connection, args?: string) => readPage(app, ada.token, connection, args)
const sizes = (pages: readonly Page[]) => pages.map(({ edges }) => edges.length)

beforeAll(async () => {
  for (let count = 0; count < 6; count++) await publish(app, ada, { content: 'One more' })
})

describe.for(connections)('%s', ([_name, field, owner, total = null]) => {
  const connectionOf = (): Connection => ({ field, ...(owner && { owner: owner() }) })
  const allOf = async () => idsOf(await read(connectionOf(), 'first: 100'))

  test('paginating forward returns every element once and in order', async () => {
    const connection = connectionOf()
    const all = await allOf()
    expect(all.length).toBeGreaterThanOrEqual(7)
    const pages: Page[] = []
    for (let after: string | null = null, more = true; more; ) {
      const page = await read(connection, `first: 3${after === null ? '' : `, after: "${after}"`}`)
      expect(page.pageInfo).toEqual({
        hasPreviousPage: after !== null,
        hasNextPage: pages.length < Math.ceil(all.length / 3) - 1,
        startCursor: page.edges.at(0)?.cursor,
        endCursor: page.edges.at(-1)?.cursor,
      })
      expect(page.nodes).toEqual(page.edges.map(({ node }) => node))
      expect(page.totalCount).toBe(total)
      pages.push(page)
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    expect(pages.flatMap(idsOf)).toEqual(all)
    expect(sizes(pages).slice(0, -1)).toEqual(Array(pages.length - 1).fill(3))
  })

  test('paginating backward returns every element once, each page in the order of the list', async () => {
    const connection = connectionOf()
    const all = await allOf()
    const pages: Page[] = []
    for (let before: string | null = null, more = true; more; ) {
      const page = await read(connection, `last: 3${before === null ? '' : `, before: "${before}"`}`)
      expect(page.pageInfo).toEqual({
        hasPreviousPage: pages.length < Math.ceil(all.length / 3) - 1,
        hasNextPage: before !== null,
        startCursor: page.edges.at(0)?.cursor,
        endCursor: page.edges.at(-1)?.cursor,
      })
      pages.unshift(page)
      before = page.pageInfo.startCursor
      more = page.pageInfo.hasPreviousPage
    }
    expect(pages.flatMap(idsOf)).toEqual(all)
    expect(sizes(pages).slice(1)).toEqual(Array(pages.length - 1).fill(3))
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

test('a page has 20 elements by default and at most 100', async () => {
  for (let count = 0; count < 100; count++) {
    const data = { id: newId(), authorId: ada.id, content: `Post ${count}` }
    await app.database.write.prisma.publication.create({ data })
  }
  const all = idsOf(await read({ field: 'publicTimeline' }, 'first: 100'))
  expect(all).toHaveLength(100)
  expect(idsOf(await read({ field: 'publicTimeline' }))).toEqual(all.slice(0, 20))
})

test('an offset out of bounds is refused', async () => {
  const connection = { owner: ofPost(), field: 'replies' }
  for (const offset of [-1, 1_000_001]) {
    const { errors } = await app.graphql(ada.token, pageDocument(connection, `offset: ${offset}`))
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'offset' }] } }])
  }
})
