import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { idsOf, readPage } from '../support/pages.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

test('numbered pages of likes leave out what was deleted with too many likes to erase at once', async () => {
  const { prisma } = app.database.write
  const posts: string[] = []
  for (let count = 0; count < 6; count += 1) posts.push(await publish(app, ada))
  await prisma.like.createMany({ data: posts.map((publicationId) => ({ id: newId(), publicationId, userId: ada.id })) })
  // As the deletion of a post with more than a thousand likes leaves it, until they are removed in parts.
  const gone = posts[4] ?? ''
  await prisma.publication.update({ where: { id: gone }, data: { content: '', deletedAt: new Date() } })
  await prisma.likeErasure.create({ data: { publicationId: gone } })
  const all = posts
    .filter((uuid) => uuid !== gone)
    .toReversed()
    .map((uuid) => globalIdOf('Post', uuid))
  const likes = { owner: 'viewer', field: 'likes' }
  for (const [offset, more] of [
    [0, true],
    [2, true],
    [4, false],
  ] as const) {
    const page = await readPage(app, ada.token, likes, `first: 2, offset: ${offset}`)
    expect({ ids: idsOf(page), more: page.pageInfo.hasNextPage }).toEqual({ ids: all.slice(offset, offset + 2), more })
  }
})
