import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { Prisma } from '../../../src/engine/data/generated/prisma/client.ts'
import { openTestDatabase } from '../../support/database.ts'

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

async function newPost(data: { content?: string; deletedAt?: Date; likeCount?: number } = {}) {
  const author = await newUser()
  return database.write.prisma.publication.create({
    data: { id: uuid(), authorId: author.id, content: 'Hello', ...data },
  })
}

async function newApplication(name: string) {
  const ownerId = (await newUser()).id
  return database.write.prisma.application.create({ data: { id: uuid(), ownerId, name } })
}

async function newToken(expiresAt: Date) {
  const [id, userId] = [uuid(), (await newUser()).id]
  const data = { id, userId, hash: Buffer.from(id), name: 'Token', scopes: [], expiresAt }
  return database.write.prisma.accessToken.create({ data })
}

type Reader = { findMany(): PromiseLike<readonly unknown[]> }

test.each(Object.values(Prisma.ModelName))('the Prisma schema describes %s as it is', async (name) => {
  const readers: Readonly<Record<Uncapitalize<Prisma.ModelName>, Reader>> = database.write.prisma
  const byName: Readonly<Record<string, Reader>> = readers
  expect(await byName[name.replace(/^./, (letter) => letter.toLowerCase())]?.findMany()).toBeInstanceOf(Array)
})

test('a username is unique regardless of case and keeps its case', async () => {
  await newUser({ username: 'Grace' })
  await expect(newUser({ username: 'gRACE' })).rejects.toMatchObject({ code: 'P2002' })
  expect(await database.write.prisma.user.count({ where: { username: 'Grace' } })).toBe(1)
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

test.each<readonly [string, () => Promise<unknown>]>([
  ['publications_content_length', () => newPost({ deletedAt: new Date() })],
  ['users_counters', () => newUser({ followerCount: -1 })],
  ['publications_counters', () => newPost({ likeCount: -1 })],
  ['users_username_form', () => newUser({ username: 'a-b' })],
  ['access_tokens_expiry_range', () => newToken(new Date('+010000-01-01T00:00:00Z'))],
])('%s is enforced', async (constraint, create) => {
  await expect(create()).rejects.toThrow(constraint)
})

test('a user cannot follow themselves, or another user twice, or like a publication twice', async () => {
  const [{ id: userId }, { id: followeeId }, { id: publicationId }] = [
    await newUser(),
    await newUser(),
    await newPost(),
  ]
  const { follow, like } = database.write.prisma
  const newFollow = (id: string) => follow.create({ data: { id: uuid(), followerId: userId, followeeId: id } })
  const newLike = () => like.create({ data: { id: uuid(), publicationId, userId } })
  await expect(newFollow(userId)).rejects.toThrow('follows_not_self')
  await newFollow(followeeId)
  await newLike()
  await expect(newFollow(followeeId)).rejects.toMatchObject({ code: 'P2002' })
  await expect(newLike()).rejects.toMatchObject({ code: 'P2002' })
})
