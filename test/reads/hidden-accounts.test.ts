import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sql, sql } from '../../src/reads/sql.ts'
import type { visibility } from '../../src/reads/visibility.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { idsOf, readPage } from '../support/pages.ts'
import { people, publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'
import { setRules } from '../support/rules.ts'

let app: TestApp
let ada: Person
let hidden: Person
let posts: string[]
let hiddenPost: string
let reply: string
const rules = (): typeof visibility => {
  const holds = (account: Sql) => sql`${account} is distinct from ${sql.literal(hidden.id)}::uuid`
  return {
    User: [{ in: 'lists', by: 'id', holds }],
    LivePublication: [{ in: 'everywhere', by: 'authorId', holds }],
    Change: [{ in: 'everywhere', by: 'actorId', holds }],
  }
}
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  const others = await people(app, 4)
  const [first] = others
  if (!first) throw new RangeError('There is nobody')
  hidden = first
  posts = []
  for (const { id } of others)
    await app.graphql(ada.token, `mutation { setFollow(input: { uuid: "${id}", followed: true }) { user { uuid } } }`)
  for (let round = 0; round < 3; round++) {
    for (const author of others) posts.push(await publish(app, author))
  }
  hiddenPost = posts[0] ?? ''
  reply = await publish(app, ada, { parent: hiddenPost })
  for (const { token } of others)
    await app.graphql(
      token,
      `mutation { setLike(input: { uuid: "${posts[1]}", liked: true }) { publication { uuid } } }`,
    )
  await app.graphql(
    ada.token,
    `mutation { setLike(input: { uuid: "${hiddenPost}", liked: true }) { publication { uuid } } }`,
  )
  await app.graphql(
    ada.token,
    `mutation { setLike(input: { uuid: "${posts[1]}", liked: true }) { publication { uuid } } }`,
  )
})
afterAll(() => app.close())

const shown = () =>
  posts
    .filter((_uuid, index) => index % 4 !== 0)
    .map((uuid) => globalIdOf('Post', uuid))
    .toReversed()

test.each([
  ['homeTimeline', 0],
  ['homeTimeline', 1_000],
  ['publicTimeline', 0],
])('the pages of the %s of who follows %i are full', async (field, followingCount) => {
  await app.database.write.prisma.user.update({ where: { id: ada.id }, data: { followingCount } })
  const token = await app.token(ada, ['post.get'])
  setRules(rules())
  const pages = []
  for (const args of ['first: 4', 'last: 5'])
    pages.push(...idsOf(await readPage(app, token, { field }, `${args}, ${followingCount ? 'after' : 'before'}: null`)))
  expect(pages).toEqual([...shown().slice(0, 4), ...shown().slice(-5)])
})

test('what it published is not found, and the parent of a reply is null', async () => {
  setRules(rules())
  const { data, errors } = await app.graphql(
    ada.token,
    `{ post(uuid: "${hiddenPost}") { uuid } publications(uuids: ["${hiddenPost}", "${reply}"]) { uuid }
      node(id: "${globalIdOf('Post', hiddenPost)}") { id } reply(uuid: "${reply}") { parent { uuid } parentUuid } }`,
  )
  expect(errors).toEqual([])
  expect(data).toEqual({
    post: null,
    publications: [null, { uuid: reply }],
    node: null,
    reply: { parent: null, parentUuid: hiddenPost },
  })
})

test.each([
  ['likers', () => ({ owner: `post(uuid: "${posts[1]}")`, field: 'likers' }), 4],
  ['following', () => ({ owner: 'viewer', field: 'following' }), 3],
  ['likes', () => ({ owner: 'viewer', field: 'likes' }), 1],
])('numbered pages of %s have all others', async (_name, connection, count) => {
  setRules(rules())
  const all = idsOf(await readPage(app, ada.token, connection(), 'first: 10'))
  expect(all).toHaveLength(count)
  const numbered: string[] = []
  for (let offset = 0; offset < count; offset++)
    numbered.push(...idsOf(await readPage(app, ada.token, connection(), `first: 1, offset: ${offset}`)))
  expect(numbered).toEqual(all)
  expect(all).not.toContain(globalIdOf('User', hidden.id))
})

test('it is still found by its name', async () => {
  setRules(rules())
  const { data } = await app.graphql(
    ada.token,
    `{ user(by: { username: "${hidden.username}" }) { uuid posts { nodes { uuid } } } }`,
  )
  expect(data).toEqual({ user: { uuid: hidden.id, posts: { nodes: [] } } })
})
