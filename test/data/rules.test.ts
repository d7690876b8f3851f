import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

async function newApplication(name: string) {
  const ownerId = (await newUser()).id
  return database.write.prisma.application.create({ data: { id: uuid(), ownerId, name } })
}

const newFollow = (followerId: string, followeeId: string) =>
  database.write.prisma.follow.create({ data: { id: uuid(), followerId, followeeId } })

test('a username is unique regardless of case and keeps its case', async () => {
  await newUser({ username: 'Grace' })
  await expect(newUser({ username: 'gRACE' })).rejects.toMatchObject({ code: 'P2002' })
  expect(await database.write.prisma.user.count({ where: { username: 'Grace' } })).toBe(1)
})

test.each(['', 'a'.repeat(31), 'a b', 'a-b', 'é', 'ada\n'])('a username cannot be %j', async (username) => {
  await expect(newUser({ username })).rejects.toThrow('users_username_form')
})

describe.each<readonly [string, (text: string) => Promise<unknown>, number, number]>([
  ['users_display_name_length', (displayName) => newUser({ displayName }), 1, 50],
  ['users_bio_length', (bio) => newUser({ bio }), 0, 500],
  ['applications_name_length', newApplication, 1, 50],
  ['publications_content_length', (content) => newPost({ content }), 1, 500],
])('%s', (constraint, create, least, most) => {
  test('counts code points', async () => {
    for (const length of [least, most]) await expect(create('😀'.repeat(length))).resolves.toBeDefined()
    for (const length of least > 0 ? [least - 1, most + 1] : [most + 1])
      await expect(create('😀'.repeat(length))).rejects.toThrow(constraint)
  })
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
  const update = database.write.prisma.publication.update({ where: { id }, data: { parentId: id } })
  await expect(update).rejects.toThrow('publications_not_own_parent')
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
  const like = () => database.write.prisma.like.create({ data: { id: uuid(), publicationId, userId } })
  await like()
  await expect(like()).rejects.toMatchObject({ code: 'P2002' })
})
