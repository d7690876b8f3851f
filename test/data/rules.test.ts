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
  return database.write.user.create({ data: { id, username, displayName: 'Ada', email: 'ada@example.org', ...data } })
}

async function newPost(data: { content?: string; deletedAt?: Date; likeCount?: number; parentId?: string } = {}) {
  const author = await newUser()
  return database.write.publication.create({ data: { id: uuid(), authorId: author.id, content: 'Hello', ...data } })
}

async function newFollow(followerId: string, followeeId: string) {
  return database.write.follow.create({ data: { id: uuid(), followerId, followeeId } })
}

test('a username is unique without regard to case and shown as registered', async () => {
  await newUser({ username: 'Grace' })
  await expect(newUser({ username: 'gRACE' })).rejects.toMatchObject({ code: 'P2002' })
  expect(await database.read.user.count({ where: { username: 'Grace' } })).toBe(1)
})

test.each(['', 'a'.repeat(31), 'a b', 'a-b', 'é', 'ada\n'])('a username may not be %j', async (username) => {
  await expect(newUser({ username })).rejects.toThrow('users_username_form')
})

test.each([1, 50])('a display name may have %i code points', async (length) => {
  await expect(newUser({ displayName: '😀'.repeat(length) })).resolves.toBeDefined()
})

test.each([0, 51])('a display name may not have %i code points', async (length) => {
  await expect(newUser({ displayName: '😀'.repeat(length) })).rejects.toThrow('users_display_name_length')
})

test('a bio has at most 500 code points', async () => {
  await expect(newUser({ bio: '😀'.repeat(500) })).resolves.toBeDefined()
  await expect(newUser({ bio: '😀'.repeat(501) })).rejects.toThrow('users_bio_length')
})

test.each([1, 50])('the name of an application may have %i code points', async (length) => {
  const ownerId = (await newUser()).id
  await expect(
    database.write.application.create({ data: { id: uuid(), ownerId, name: '😀'.repeat(length) } }),
  ).resolves.toBeDefined()
})

test.each([0, 51])('the name of an application may not have %i code points', async (length) => {
  const ownerId = (await newUser()).id
  await expect(
    database.write.application.create({ data: { id: uuid(), ownerId, name: '😀'.repeat(length) } }),
  ).rejects.toThrow('applications_name_length')
})

test.each([1, 500])('a publication may have %i code points', async (length) => {
  await expect(newPost({ content: '😀'.repeat(length) })).resolves.toBeDefined()
})

test.each([0, 501])('a publication may not have %i code points', async (length) => {
  await expect(newPost({ content: '😀'.repeat(length) })).rejects.toThrow('publications_content_length')
})

test('a deleted publication keeps no content', async () => {
  await expect(newPost({ deletedAt: new Date() })).rejects.toThrow('publications_content_length')
  await expect(newPost({ deletedAt: new Date(), content: '' })).resolves.toBeDefined()
})

test('counters do not fall below zero', async () => {
  await expect(newUser({ followerCount: -1 })).rejects.toThrow('users_counters')
  await expect(newPost({ likeCount: -1 })).rejects.toThrow('publications_counters')
})

test('a publication is not its own parent', async () => {
  const { id } = await newPost()
  await expect(database.write.publication.update({ where: { id }, data: { parentId: id } })).rejects.toThrow(
    'publications_not_own_parent',
  )
})

test('nobody follows themselves, and a pair follows once', async () => {
  const [ada, grace] = [await newUser(), await newUser()]
  await expect(newFollow(ada.id, ada.id)).rejects.toThrow('follows_not_self')
  await newFollow(ada.id, grace.id)
  await expect(newFollow(ada.id, grace.id)).rejects.toMatchObject({ code: 'P2002' })
  await expect(newFollow(grace.id, ada.id)).resolves.toBeDefined()
})

test('a like is there once for each pair', async () => {
  const { id: publicationId, authorId: userId } = await newPost()
  await database.write.like.create({ data: { publicationId, userId } })
  await expect(database.write.like.create({ data: { publicationId, userId } })).rejects.toMatchObject({ code: 'P2002' })
})

test('live_publications has what is live and hides what is deleted', async () => {
  const { id } = await newPost()
  const { id: deleted } = await newPost({ deletedAt: new Date(), content: '' })
  const live = await database.read
    .$queryRaw`SELECT id FROM live_publications WHERE id IN (${id}::uuid, ${deleted}::uuid)`
  expect(live).toEqual([{ id }])
})

test('times are kept in UTC to the millisecond', async () => {
  const time = new Date('2026-07-01T12:34:56.789Z')
  const { id } = await newPost({ deletedAt: time, content: '' })
  const stored = await database.read.publication.findUniqueOrThrow({ where: { id } })
  expect(stored.deletedAt).toEqual(time)
  const seconds = await database.read
    .$queryRaw`SELECT extract(epoch FROM deleted_at)::float8 AS seconds FROM publications WHERE id = ${id}::uuid`
  expect(seconds).toEqual([{ seconds: time.getTime() / 1000 }])
})

test('a transaction that fails leaves nothing', async () => {
  const id = uuid()
  const failing = database.write.$transaction(async (transaction) => {
    await transaction.badge.create({ data: { id, name: 'undone' } })
    throw new Error('undo')
  })
  await expect(failing).rejects.toThrow('undo')
  expect(await database.read.badge.findUnique({ where: { id } })).toBeNull()
})
