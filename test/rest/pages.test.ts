import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hashtagIn } from '../../src/features/base/entities.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { moderator } from '../support/graphql/moderation.ts'
import { readAnswer } from '../support/rest/answer.ts'

let app: TestApp
let ada: Person
let root: string
const talk = newId()

const count = 123
const numbers = Array.from({ length: count }, (_, index) => index + 1)

beforeAll(async () => {
  app = await startApp()
  ada = await moderator(app, 'ada')
  root = newId()
  const { prisma } = app.database.write
  const content = (number: number) => ({ id: newId(), authorId: ada.id, content: String(number) })
  await prisma.publication.create({ data: { ...content(0), id: root, replyCount: count } })
  await prisma.publication.createMany({ data: numbers.map((number) => ({ ...content(number), parentId: root })) })
  const author = await app.person('writer')
  const written = numbers.map((number) => ({ ...content(number), authorId: author.id }))
  await prisma.publication.createMany({ data: written })
  const hashtag = { id: '', name: '', ...hashtagIn('Числа') }
  await prisma.hashtag.create({ data: { ...hashtag, publicationCount: count } })
  const use = { hashtagId: hashtag.id, rangeStart: 0, rangeEnd: 6, isFirst: true }
  await prisma.hashtagUse.createMany({ data: written.map(({ id }) => ({ publicationId: id, ...use })) })

  const talker = await app.person('talker')
  const said = (number: number) => ({ ...content(number), id: number === 1 ? talk : newId(), authorId: talker.id })
  await prisma.publication.createMany({
    data: numbers.map((number) => ({ ...said(number), parentId: number === 1 ? null : talk })),
  })

  const crowd = numbers.map((number) => ({
    id: newId(),
    username: `n${number}`,
    displayName: 'N',
    email: 'n@example.org',
  }))
  // Their ids are in another order than their follows.
  await prisma.user.createMany({ data: crowd.toReversed() })
  await prisma.user.update({ where: { id: ada.id }, data: { followerCount: count, followingCount: count } })
  const reported = {
    subjectId: author.id,
    userId: author.id,
    username: 'writer',
    displayName: 'Writer',
    reason: 'SPAM',
  } as const
  await prisma.report.createMany({
    data: numbers.map((number) => ({ id: newId(), content: String(number), ...reported })),
  })
  const follows = crowd.toReversed().flatMap(({ id }) => [
    { id: newId(), followerId: ada.id, followeeId: id },
    { id: newId(), followerId: id, followeeId: ada.id },
  ])
  await prisma.follow.createMany({ data: follows })
  await prisma.mute.createMany({
    data: crowd.toReversed().map((muted) => ({ id: newId(), muterId: ada.id, mutedId: muted.id })),
  })
  await prisma.publication.update({ where: { id: root }, data: { likeCount: count } })
  const likes = crowd.toReversed().map(({ id }) => ({ id: newId(), publicationId: root, userId: id }))
  await prisma.like.createMany({ data: likes })
  const replies = await prisma.publication.findMany({ where: { parentId: root }, orderBy: { id: 'desc' } })
  const blocks = crowd.toReversed().map(({ id }) => ({ id: newId(), blockerId: ada.id, blockedId: id }))
  await prisma.block.createMany({ data: blocks })
  const own = replies.map(({ id }) => ({ id: newId(), publicationId: id, userId: ada.id }))
  await prisma.like.createMany({ data: own })
  await prisma.bookmark.createMany({ data: own })
})
afterAll(() => app.close())

const upwards = numbers.map(String)
const downwards = upwards.toReversed()
const people = upwards.map((number) => `n${number}`)
const element = z.object({ content: z.string().optional(), username: z.string().optional() })

/** The lists of the interface: their names, page sizes, paths before the page number, and entries in order. */
const lists = [
  ['replies', 5, () => `/post/${root}/replies/`, upwards],
  ['replies', 5, () => `/post/${root}/replies?page=`, upwards],
  ['thread', 20, () => `/post/${talk}/thread/`, upwards],
  ['posts', 20, () => '/user/@writer/posts/', downwards],
  ['posts', 20, () => '/user/@writer/posts?page=', downwards],
  ['replies', 20, () => '/user/@ada/replies/', downwards],
  ['replies', 20, () => '/user/@ada/replies?page=', downwards],
  ['posts', 20, () => `/tag/${encodeURIComponent('числа')}/`, downwards],
  ['posts', 20, () => `/tag/${encodeURIComponent('Числа')}?page=`, downwards],
  ['following', 20, () => '/user/@ada/following?page=', people],
  ['followers', 20, () => '/user/@ada/followers?page=', people],
  ['mutes', 20, () => '/user/@ada/mutes/', people],
  ['likers', 20, () => `/post/${root}/likes/`, people],
  ['likes', 20, () => '/user/@ada/likes/', upwards],
  ['reports', 20, () => '/moderation/reports/', downwards],
  ['blocks', 20, () => '/user/@ada/blocks/', people],
  ['bookmarks', 20, () => '/user/@ada/bookmarks/', upwards],
] as const

describe.each(lists)('%s, %i on a page', (name, size, path, all) => {
  const url = (page: number, limit?: number) => {
    const separator = path().includes('?') ? '&' : '?'
    return `${path()}${page}${limit === undefined ? '' : `${separator}limit=${limit}`}`
  }

  const read = (page: number, limit?: number) => readAt(url(page, limit))

  async function readAt(path: string) {
    const { status, headers, body } = await readAnswer(await app.rest(ada.token, 'GET', path))
    const list = z.object({ [name]: z.array(element) }).parse(body)[name] ?? []
    return { status, link: headers.link, elements: list.map(({ content, username }) => content ?? username) }
  }

  const link = (links: Record<string, number>, limit?: number) =>
    Object.entries(links)
      .map(([relation, page]) => `</api/v1${url(page, limit)}>; rel="${relation}"`)
      .join(', ')

  const last = Math.ceil(count / size)
  test.each([1, 2, last])('has its elements and links to its neighbours on page %i', async (page) => {
    const links = { first: 1, ...(page > 1 && { prev: page - 1 }), ...(page < last && { next: page + 1 }) }
    const elements = all.slice((page - 1) * size, page * size)
    expect(await read(page)).toEqual({ status: 200, link: link(links), elements })
  })

  test.each([1, 7, 100])('keeps the limit %i in its links', async (limit) => {
    const answer = await read(1, limit)
    expect(answer).toEqual({ status: 200, link: link({ first: 1, next: 2 }, limit), elements: all.slice(0, limit) })
    expect((await read(2, limit)).elements).toEqual(all.slice(limit, 2 * limit))
  })

  test('has no next page when the last one is full', async () => {
    expect((await read(3, 41)).link).toBe(link({ first: 1, prev: 2 }, 41))
    expect((await read(3, 41)).elements).toHaveLength(41)
  })

  test.each<[number, number?]>([[30], [5_000], [1_000, 100]])(
    'is empty past the end, on page %i',
    async (page, limit) => {
      const expected = { status: 200, link: link({ first: 1, prev: page - 1 }, limit), elements: [] }
      expect(await read(page, limit)).toEqual(expected)
    },
  )

  test('has no page after row 100,000', async () => {
    const answer = await readAnswer(await app.rest(ada.token, 'GET', url(1_001, 100)))
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'page' }] } })
    expect(answer.headers).not.toHaveProperty('link')
  })

  test('can be read completely by following its links', async () => {
    const walked: unknown[] = []
    let next: string | undefined = url(1, 50)
    while (next !== undefined) {
      const answer = await readAt(next)
      walked.push(...answer.elements)
      next = /<\/api\/v1([^>]*)>; rel="next"/.exec(answer.link ?? '')?.[1]
    }
    expect(walked).toEqual(all)
  })
})

test('a page has a number or a cursor, but not both', async () => {
  const path = `/user/${ada.id}/following?after=AZqyxMJje4-OVaBhcoOUBQ`
  expect((await app.rest(ada.token, 'GET', path)).status).toBe(200)
  const { status, body } = await readAnswer(await app.rest(ada.token, 'GET', `${path}&page=1`))
  expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ field: 'after' }] } })
})

test('following and followers default to their first page', async () => {
  const { headers } = await readAnswer(await app.rest(ada.token, 'GET', `/user/${ada.id}/following?limit=60`))
  const path = `/api/v1/user/${ada.id}/following`
  expect(headers.link).toBe(`<${path}?page=1&limit=60>; rel="first", <${path}?page=2&limit=60>; rel="next"`)
})
