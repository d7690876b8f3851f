import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { idsOf, readPage } from '../support/pages.ts'
import { people, publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

async function deletePost(uuid: string): Promise<void> {
  const { errors } = await app.graphql(
    ada.token,
    `mutation { deletePost(input: { uuid: "${uuid}" }) { publication { uuid } } }`,
  )
  expect(errors).toEqual([])
}

test('the cursor of a deleted publication stays valid, and pages skip the publication', async () => {
  const thread = await publish(app, ada)
  const replies: string[] = []
  for (let count = 0; count < 8; count++) replies.push(await publish(app, ada, { parent: thread }))
  const ids = replies.map((uuid) => globalIdOf('Reply', uuid))
  const connection = { owner: `post(uuid: "${thread}")`, field: 'replies' }
  const { pageInfo } = await readPage(app, ada.token, connection, 'first: 3')
  for (const index of [2, 3, 7]) await deletePost(replies[index] ?? '')

  const after = await readPage(app, ada.token, connection, `first: 2, after: "${pageInfo.endCursor}"`)
  expect(idsOf(after)).toEqual(ids.slice(4, 6))
  expect(after).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true } })
  const last = await readPage(app, ada.token, connection, `first: 1, after: "${after.pageInfo.endCursor}"`)
  expect(idsOf(last)).toEqual(ids.slice(6, 7))
  expect(last.pageInfo.hasNextPage).toBe(false)
  const before = await readPage(app, ada.token, connection, `last: 5, before: "${pageInfo.endCursor}"`)
  expect(idsOf(before)).toEqual(ids.slice(0, 2))
  expect(before.pageInfo.hasPreviousPage).toBe(false)
})

test.each(['homeTimeline', 'publicTimeline'])('a cursor of %s stays valid after its post is deleted', async (field) => {
  const posts: string[] = []
  for (let count = 0; count < 5; count++) posts.unshift(await publish(app, ada))
  const { pageInfo } = await readPage(app, ada.token, { field }, 'first: 2')
  await deletePost(posts[1] ?? '')
  const rest = await readPage(app, ada.token, { field }, `first: 3, after: "${pageInfo.endCursor}"`)
  expect(idsOf(rest)).toEqual(posts.slice(2).map((uuid) => globalIdOf('Post', uuid)))
})

test('follows have their own order, and a cursor stays valid after the follow ends', async () => {
  const [first, second, third, fourth] = await people(app, 4)
  if (!first || !second || !third || !fourth) throw new Error('There are too few people')
  const toggle = (uuid: string) =>
    app.graphql(ada.token, `mutation { toggleFollow(input: { uuid: "${uuid}" }) { action } }`)
  for (const { id } of [third, first, fourth, second]) await toggle(id)
  const connection = { owner: 'viewer', field: 'following' }
  const newestFirst = [second, fourth, first, third].map(({ id }) => globalIdOf('User', id))
  const page = await readPage(app, ada.token, connection, 'first: 2')
  expect(idsOf(page)).toEqual(newestFirst.slice(0, 2))
  await toggle(fourth.id)
  expect(idsOf(await readPage(app, ada.token, connection, `after: "${page.pageInfo.endCursor}"`))).toEqual(
    newestFirst.slice(2),
  )
  // A user who is followed again becomes the newest.
  await toggle(fourth.id)
  const again = await readPage(app, ada.token, connection)
  expect(idsOf(again)).toEqual([fourth, second, first, third].map(({ id }) => globalIdOf('User', id)))
  expect(again.totalCount).toBe(4)
})

test('totalCount is the stored counter', async () => {
  const stored = { replyCount: 123, followerCount: 456, followingCount: 789 }
  const uuid = await publish(app, ada)
  const { replyCount, ...ofUser } = stored
  await app.database.write.prisma.publication.update({ where: { id: uuid }, data: { replyCount } })
  const { id } = await app.person()
  await app.database.write.prisma.user.update({ where: { id }, data: ofUser })
  const { data } = await app.graphql(
    ada.token,
    `{ post(uuid: "${uuid}") { replies { totalCount } }
       user(by: { uuid: "${id}" }) { followers { totalCount } following { totalCount } posts { totalCount } } }`,
  )
  expect(data).toEqual({
    post: { replies: { totalCount: 123 } },
    user: { followers: { totalCount: 456 }, following: { totalCount: 789 }, posts: { totalCount: null } },
  })
})
