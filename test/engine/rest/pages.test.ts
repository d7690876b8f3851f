import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { type Relation, relations } from '../../../src/features/base/relations.ts'
import { setCounters } from '../../../src/features/demo/seed.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let ada: Person
let root: string
const talk = newId()

const count = 123
const numbers = Array.from({ length: count }, (_, index) => index + 1)

/** Makes relations between these ends. */
function relate({ table, actorColumn, objectColumn }: Relation, pairs: readonly (readonly [string, string])[]) {
  const [actors, objects] = [pairs.map(([actor]) => actor), pairs.map(([, object]) => object)]
  return app.database.write.prisma.$executeRawUnsafe(
    `insert into ${table} (id, ${actorColumn}, ${objectColumn}) select * from unnest($1::uuid[], $2::uuid[], $3::uuid[])`,
    ...[pairs.map(() => newId()), actors, objects],
  )
}

beforeAll(async () => {
  app = await startApp()
  ada = await moderator(app, 'ada')
  root = newId()
  const { prisma } = app.database.write
  const content = (number: number) => ({ id: newId(), authorId: ada.id, content: String(number) })
  await prisma.publication.create({ data: { ...content(0), id: root } })
  await prisma.publication.createMany({ data: numbers.map((number) => ({ ...content(number), parentId: root })) })
  const author = await app.person('writer')
  const written = numbers.map((number) => ({ ...content(number), authorId: author.id }))
  await prisma.publication.createMany({ data: written })
  const hashtag = { id: '', name: '', ...hashtagIn('Числа') }
  await prisma.hashtag.create({ data: { ...hashtag, publicationCount: count } })
  const use = { hashtagId: hashtag.id, rangeStart: 0, rangeEnd: 6, isListed: true }
  await prisma.hashtagUse.createMany({ data: written.map(({ id }) => ({ publicationId: id, ...use })) })

  const talker = await app.person('talker')
  const said = (number: number) => ({ ...content(number), id: number === 1 ? talk : newId(), authorId: talker.id })
  await prisma.publication.createMany({
    data: numbers.map((number) => ({ ...said(number), parentId: number === 1 ? null : talk })),
  })

  const addressed = numbers.map((number) => ({
    ...content(number),
    authorId: author.id,
    audience: 'ADDRESSED' as const,
  }))
  await prisma.publication.createMany({ data: addressed.map((it) => ({ ...it, circleId: it.id })) })
  await prisma.addressee.createMany({ data: addressed.map(({ id }) => ({ publicationId: id, userId: ada.id })) })

  const crowd = numbers.map((number) => ({
    id: newId(),
    username: `n${number}`,
    displayName: 'N',
    email: 'n@example.org',
  }))
  // Their ids are in another order than their relations.
  await prisma.user.createMany({ data: crowd.toReversed() })
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
  const replies = await prisma.publication.findMany({ where: { parentId: root }, orderBy: { id: 'desc' } })
  const own = replies.map(({ id }) => [ada.id, id] as const)
  const others = crowd.toReversed().map(({ id }) => id)
  const toAda = others.map((id) => [id, ada.id] as const)
  for (const relation of relations) {
    if (relation.objectType === 'publication') await relate(relation, own)
    else
      await relate(
        relation,
        toAda.map(([other, ada]) => [ada, other] as const),
      )
    if (relation.actors)
      await relate(relation, relation.objectType === 'publication' ? others.map((id) => [id, root] as const) : toAda)
  }
  await prisma.followRequest.createMany({
    data: others.flatMap((other) => [
      { id: newId(), requesterId: ada.id, requestedId: other },
      { id: newId(), requesterId: other, requestedId: ada.id },
    ]),
  })
  await setCounters(prisma)
})
afterAll(() => app.close())

const upwards = numbers.map(String)
const downwards = upwards.toReversed()
const people = upwards.map((number) => `n${number}`)
const element = z.object({ content: z.string().optional(), username: z.string().optional() })

type List = readonly [name: string, size: number, path: () => string, all: readonly string[]]

/** The lists of a relation. */
function listsOf({ objectType, objects, actors }: Relation): readonly List[] {
  const end = ({ path, isOfInterface }: NonNullable<Relation['actors']>) => `${path}${isOfInterface ? '?page=' : '/'}`
  const owner = () => (objectType === 'user' ? '/user/@ada' : `/post/${root}`)
  return [
    [objects.field, 20, () => `/user/@ada/${end(objects)}`, objectType === 'user' ? people : upwards],
    ...(actors ? [[actors.field, 20, () => `${owner()}/${end(actors)}`, people] as const] : []),
  ]
}

/** The lists of the interface: their names, page sizes, paths before the page number, and entries in order. */
const lists: readonly List[] = [
  ['replies', 5, () => `/post/${root}/replies/`, upwards],
  ['replies', 5, () => `/post/${root}/replies?page=`, upwards],
  ['thread', 20, () => `/post/${talk}/thread/`, upwards],
  ['posts', 20, () => '/user/@writer/posts/', downwards],
  ['posts', 20, () => '/user/@writer/posts?page=', downwards],
  ['replies', 20, () => '/user/@ada/replies/', downwards],
  ['replies', 20, () => '/user/@ada/replies?page=', downwards],
  ['posts', 20, () => `/tag/${encodeURIComponent('числа')}/`, downwards],
  ['posts', 20, () => `/tag/${encodeURIComponent('Числа')}?page=`, downwards],
  ['reports', 20, () => '/moderation/reports/', downwards],
  ['posts', 20, () => '/user/@ada/addressed/', downwards],
  ...['requests', 'sent-requests'].map((path) => ['requests', 20, () => `/user/@ada/${path}/`, people] as const),
  ...relations.flatMap(listsOf),
]

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

test('the public timeline has the posts of everybody in its numbered pages, newest first', async () => {
  const posts = z.object({ posts: z.array(z.object({ uuid: z.string(), created_at: z.number() })) })
  const read = async (path: string) => posts.parse(await (await app.rest(ada.token, 'GET', path)).json()).posts
  const [whole, ...pages] = await Promise.all(
    ['/timeline/public?limit=100', ...[1, 2, 3].map((page) => `/timeline/public/${page}?limit=30`)].map(read),
  )
  expect(whole).toHaveLength(100)
  expect(pages.flat()).toEqual(whole?.slice(0, 90))
  expect(pages.flat().map(({ uuid }) => uuid)).toEqual(
    pages
      .flat()
      .map(({ uuid }) => uuid)
      .toSorted()
      .toReversed(),
  )
})
