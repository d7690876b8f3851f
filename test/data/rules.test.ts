import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/data/database.ts'
import { openTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

async function newUser(data: { username?: string; displayName?: string; bio?: string; followerCount?: number } = {}) {
  const id = uuid()
  const username = id.slice(-12)
  return database.write.prisma.user.create({
    data: { id, username, displayName: 'Ada', email: 'ada@example.org', ...data },
  })
}

async function newPost(data: { content?: string; deletedAt?: Date; likeCount?: number; parentId?: string } = {}) {
  const author = await newUser()
  return database.write.prisma.publication.create({
    data: { id: uuid(), authorId: author.id, content: 'Hello', ...data },
  })
}

async function newFollow(followerId: string, followeeId: string) {
  return database.write.prisma.follow.create({ data: { id: uuid(), followerId, followeeId } })
}

test('a username is unique regardless of case and keeps its case', async () => {
  await newUser({ username: 'Grace' })
  await expect(newUser({ username: 'gRACE' })).rejects.toMatchObject({ code: 'P2002' })
  expect(await database.write.prisma.user.count({ where: { username: 'Grace' } })).toBe(1)
})

test.each(['', 'a'.repeat(31), 'a b', 'a-b', 'é', 'ada\n'])('a username cannot be %j', async (username) => {
  await expect(newUser({ username })).rejects.toThrow('users_username_form')
})

test.each([1, 50])('a display name can have %i code points', async (length) => {
  await expect(newUser({ displayName: '😀'.repeat(length) })).resolves.toBeDefined()
})

test.each([0, 51])('a display name cannot have %i code points', async (length) => {
  await expect(newUser({ displayName: '😀'.repeat(length) })).rejects.toThrow('users_display_name_length')
})

test('a bio has at most 500 code points', async () => {
  await expect(newUser({ bio: '😀'.repeat(500) })).resolves.toBeDefined()
  await expect(newUser({ bio: '😀'.repeat(501) })).rejects.toThrow('users_bio_length')
})

test.each([1, 50])('the name of an application can have %i code points', async (length) => {
  const ownerId = (await newUser()).id
  await expect(
    database.write.prisma.application.create({ data: { id: uuid(), ownerId, name: '😀'.repeat(length) } }),
  ).resolves.toBeDefined()
})

test.each([0, 51])('the name of an application cannot have %i code points', async (length) => {
  const ownerId = (await newUser()).id
  await expect(
    database.write.prisma.application.create({ data: { id: uuid(), ownerId, name: '😀'.repeat(length) } }),
  ).rejects.toThrow('applications_name_length')
})

test.each([1, 500])('a publication can have %i code points', async (length) => {
  await expect(newPost({ content: '😀'.repeat(length) })).resolves.toBeDefined()
})

test.each([0, 501])('a publication cannot have %i code points', async (length) => {
  await expect(newPost({ content: '😀'.repeat(length) })).rejects.toThrow('publications_content_length')
})

test('a deleted publication has no content', async () => {
  await expect(newPost({ deletedAt: new Date() })).rejects.toThrow('publications_content_length')
  await expect(newPost({ deletedAt: new Date(), content: '' })).resolves.toBeDefined()
})

test('counters cannot be negative', async () => {
  await expect(newUser({ followerCount: -1 })).rejects.toThrow('users_counters')
  await expect(newPost({ likeCount: -1 })).rejects.toThrow('publications_counters')
})

test('a publication cannot be its own parent', async () => {
  const { id } = await newPost()
  await expect(database.write.prisma.publication.update({ where: { id }, data: { parentId: id } })).rejects.toThrow(
    'publications_not_own_parent',
  )
})

test('a user cannot follow themselves, or another user twice', async () => {
  const [ada, grace] = [await newUser(), await newUser()]
  await expect(newFollow(ada.id, ada.id)).rejects.toThrow('follows_not_self')
  await newFollow(ada.id, grace.id)
  await expect(newFollow(ada.id, grace.id)).rejects.toMatchObject({ code: 'P2002' })
  await expect(newFollow(grace.id, ada.id)).resolves.toBeDefined()
})

test('a user can like a publication only once', async () => {
  const { id: publicationId } = await newPost()
  const { id: userId } = await newUser()
  await database.write.prisma.like.create({ data: { id: uuid(), publicationId, userId } })
  await expect(
    database.write.prisma.like.create({ data: { id: uuid(), publicationId, userId } }),
  ).rejects.toMatchObject({
    code: 'P2002',
  })
})

test('live_publications excludes deleted publications', async () => {
  const { id } = await newPost()
  const { id: deleted } = await newPost({ deletedAt: new Date(), content: '' })
  const live = await database.write.prisma
    .$queryRaw`SELECT id FROM live_publications WHERE id IN (${id}::uuid, ${deleted}::uuid)`
  expect(live).toEqual([{ id }])
})

test('times are stored in UTC with millisecond precision', async () => {
  const time = new Date('2026-07-01T12:34:56.789Z')
  const { id } = await newPost({ deletedAt: time, content: '' })
  const stored = await database.write.prisma.publication.findUniqueOrThrow({ where: { id } })
  expect(stored.deletedAt).toEqual(time)
  const seconds = await database.write.prisma
    .$queryRaw`SELECT extract(epoch FROM deleted_at)::float8 AS seconds FROM publications WHERE id = ${id}::uuid`
  expect(seconds).toEqual([{ seconds: time.getTime() / 1000 }])
})

test('a failed transaction changes nothing', async () => {
  const id = uuid()
  const failing = database.write.prisma.$transaction(async (transaction) => {
    await transaction.badge.create({ data: { id, name: 'undone' } })
    throw new Error('undo')
  })
  await expect(failing).rejects.toThrow('undo')
  expect(await database.write.prisma.badge.findUnique({ where: { id } })).toBeNull()
})
