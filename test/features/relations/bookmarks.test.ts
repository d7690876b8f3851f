import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { bookmarks } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { untilSettled } from '../../support/graphql/changes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { deleteSuspended } from '../../support/networks/delete-suspended.ts'

let app: TestApp
let ada: Person
let grace: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const bookmark = (person: Person, uuid: string, wanted = true) => setRelation(app, person, bookmarks, uuid, wanted)
const stored = (where: { readonly publicationId?: string; readonly userId?: string }) =>
  app.database.write.prisma.bookmark.count({ where })

test('nobody else sees or counts a bookmark, and the change feed has none', async () => {
  const uuid = await publish(app, ada)
  const seen = z.object({ data: z.object({ changeCursor: z.string() }) })
  const everything = `query ($uuid: UUID!) {
    changeCursor
    post(uuid: $uuid) { version likeCount replyCount viewerHasLiked viewerHasBookmarked likers(first: 5) { totalCount } }
    user(by: { username: "grace" }) { version bookmarks(first: 5) { nodes { uuid } } }
  }`
  const read = () => app.graphql(ada.token, everything, { uuid })
  const tag = async () => (await app.rest(ada.token, 'GET', `/post/${uuid}`)).headers.get('etag')

  await untilSettled(app)
  const [before, tagBefore] = [await read(), await tag()]
  expect(before).toMatchObject({ data: { post: { viewerHasBookmarked: false }, user: { bookmarks: null } } })
  await bookmark(grace, uuid)
  expect((await read()).data).toEqual(before.data)
  expect(await tag()).toBe(tagBefore)
  const changes = `query ($after: String) { changes(of: { home: true, public: true }, after: $after) { nodes { kind } } }`
  for (const { token } of [ada, grace]) {
    const { data } = await app.graphql(token, changes, { after: seen.parse(before).data.changeCursor })
    expect(data).toEqual({ changes: { nodes: [] } })
  }
})

const own = '{ viewer { bookmarks(first: 5) { totalCount nodes { uuid viewerHasBookmarked } } } }'

test('a deleted publication loses its bookmarks, and a deleted account has none', async () => {
  const [reader, author] = [await app.person(), await app.person()]
  const [gone, kept, other] = [await publish(app, ada), await publish(app, ada), await publish(app, author)]
  for (const uuid of [gone, kept, other]) await bookmark(reader, uuid)
  expect((await app.rest(ada.token, 'DELETE', `/post/${gone}`)).status).toBe(200)
  expect(await stored({ publicationId: gone })).toBe(0)
  expect((await bookmark(reader, gone)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])

  expect(await deleteSuspended(app, author)).toMatchObject({ publications: 1, bookmarks: 0 })
  expect((await app.graphql(reader.token, own)).data).toEqual({
    viewer: { bookmarks: { totalCount: null, nodes: [{ uuid: kept, viewerHasBookmarked: true }] } },
  })

  expect(await deleteSuspended(app, reader)).toMatchObject({ publications: 0, bookmarks: 1 })
  expect(await stored({ userId: reader.id })).toBe(0)
})
