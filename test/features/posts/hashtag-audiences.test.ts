import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { follows } from '../../../src/features/base/relations.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let author: Person
let follower: Person
let stranger: Person
beforeAll(async () => {
  app = await startApp()
  author = await app.person('author')
  follower = await app.person('follower')
  stranger = await app.person('stranger')
  await setRelation(app, follower, follows, author.id)
})
afterAll(() => app.close())

const hashtag = z.object({
  publicationCount: z.number(),
  publications: z.object({ nodes: z.array(z.object({ content: z.string() })) }),
})
const fields = '... on Hashtag { publicationCount publications { nodes { content } } }'

/** What a viewer finds of a hashtag by its name and by its id. */
async function lookUp(viewer: Person, name: string) {
  const id = Buffer.from(`Hashtag:${hashtagIn(name)?.id}`).toString('base64')
  const source = `query ($name: String!, $id: ID!) { hashtag(name: $name) { ${fields} } node(id: $id) { ${fields} } }`
  const { data } = await app.graphql(viewer.token, source, { name, id })
  const found = z.object({ hashtag: hashtag.nullable(), node: hashtag.nullable() }).parse(data)
  expect(found.node).toEqual(found.hashtag)
  return found.hashtag && [found.hashtag.publicationCount, ...found.hashtag.publications.nodes.map((it) => it.content)]
}

/** The hashtags of a publication, each with its count, as a viewer reads them. */
async function hashtagsOf(viewer: Person, uuid: string) {
  const source = 'query ($uuid: UUID!) { post(uuid: $uuid) { hashtags { hashtag { name publicationCount } } } }'
  const { data } = await app.graphql(viewer.token, source, { uuid })
  const use = z.object({ hashtag: z.object({ name: z.string(), publicationCount: z.number() }) })
  const { post } = z.object({ post: z.object({ hashtags: z.array(use) }).nullable() }).parse(data)
  return post?.hashtags.map((it) => `${it.hashtag.name} ${it.hashtag.publicationCount}`)
}

const edit = (uuid: string, content: string) =>
  mutate(app, author, 'updatePost', { uuid, content }, 'publication { uuid }')
const remove = (uuid: string) => mutate(app, author, 'deletePost', { uuid }, 'publication { uuid }')

test.each(['FOLLOWERS', 'ADDRESSED'])('a hashtag that only publications for %s have is unknown', async (audience) => {
  const content = '#hidden #hidden #open, @follower'
  const uuid = await publish(app, author, { content, audience })
  const open = await publish(app, author, { content: '#open' })
  for (const viewer of [author, follower, stranger]) {
    expect(await lookUp(viewer, 'hidden')).toBeNull()
    expect(await lookUp(viewer, 'open')).toEqual([1, '#open'])
    expect((await app.rest(viewer.token, 'GET', '/tag/hidden/1')).status).toBe(404)
  }
  expect(await hashtagsOf(follower, uuid)).toEqual(['hidden 0', 'hidden 0', 'open 1'])
  expect(await hashtagsOf(stranger, uuid)).toBeUndefined()

  const known = await publish(app, author, { content: 'Now #hidden' })
  expect(await lookUp(follower, 'hidden')).toEqual([1, 'Now #hidden'])
  await remove(known)
  expect(await lookUp(stranger, 'hidden')).toBeNull()
  expect(await hashtagsOf(follower, uuid)).toEqual(['hidden 0', 'hidden 0', 'open 1'])

  await edit(uuid, '#open #other')
  expect(await hashtagsOf(follower, uuid)).toEqual(['open 1', 'other 0'])
  await remove(open)
  expect(await lookUp(stranger, 'open')).toBeNull()
  expect(await wrongCounters(app.database)).toEqual([])
  await remove(uuid)
  expect(await app.database.write.prisma.hashtag.count()).toBe(0)
})

test('an account that is deleted leaves no hashtag', async () => {
  const gone = await app.person()
  for (const audience of ['EVERYBODY', 'FOLLOWERS']) await publish(app, gone, { content: '#gone #gone', audience })
  await publish(app, author, { content: '#gone', audience: 'FOLLOWERS' })
  expect(await lookUp(stranger, 'gone')).toEqual([1, '#gone #gone'])
  await app.database.write.prisma.user.update({ where: { id: gone.id }, data: { suspendedAt: new Date(0) } })
  await deleteAccount(app.database, gone.id)
  expect(await lookUp(stranger, 'gone')).toBeNull()
  expect(await wrongCounters(app.database)).toEqual([])
})

test('a private account hides what it sent for everybody from the list, but not from the count', async () => {
  await publish(app, author, { content: '#private' })
  await app.database.write.prisma.privateAccount.create({ data: { userId: author.id } })
  expect(await lookUp(follower, 'private')).toEqual([1, '#private'])
  expect(await lookUp(stranger, 'private')).toEqual([1])
  await app.database.write.prisma.privateAccount.delete({ where: { userId: author.id } })
  expect(await lookUp(stranger, 'private')).toEqual([1, '#private'])
})
