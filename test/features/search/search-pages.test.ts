import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, mutes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { measure } from '../../support/database/rows-read.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let viewer: Person
let other: Person
let flooder: Person
/** Each is hidden from the viewer in its way. */
const hidden: Record<string, Person> = {}

const id = (kind: number, first: string) =>
  `('${first}' || lpad(to_hex(n), 6, '0') || '-0000-7000-8000-${String(kind).padStart(12, '0')}')::uuid`

/** Adds so many publications of a person, one for each minute or two since a year, with these tokens. */
async function add(person: Person, kind: number, count: number, tokens: string, first = '01') {
  const key = id(kind, first)
  await app.database.write.prisma.$executeRawUnsafe(
    `insert into publications (id, author_id, root_id, content, tokens)
     select ${key}, '${person.id}', ${key}, 'Hello', $$${tokens}$$ from generate_series(1, ${count}) n`,
  )
}

beforeAll(async () => {
  app = await startApp()
  viewer = await app.person('viewer')
  other = await app.person('other')
  flooder = await app.person('flooder')
  hidden.blocker = await app.person('blocker')
  hidden.blocked = await app.person('blocked')
  hidden.suspended = await app.person('suspended')
  hidden.muted = await app.person('muted')
  for (const [index, person] of Object.values(hidden).entries()) await add(person, index, 100, "'hello':1")
  await add(other, 10, 300, "'hello':1")
  await add(other, 11, 1, "'wedding':1", '00')
  await add(flooder, 12, 3_000, "'flood':1", '02')
  await add(other, 13, 2, "'flood':1", '00')
  await setRelation(app, hidden.blocker, blocks, viewer.id)
  await setRelation(app, viewer, blocks, hidden.blocked.id)
  await setRelation(app, viewer, mutes, hidden.muted.id)
  await setRelation(app, viewer, blocks, flooder.id)
  const data = { suspendedAt: new Date() }
  await app.database.write.prisma.user.update({ where: { id: hidden.suspended.id }, data })
  await app.database.write.prisma.$executeRaw`analyze`
})
afterAll(() => app.close())

const source = `query ($text: String!, $author: UserBy, $first: Int, $after: String) {
  searchPublications(text: $text, author: $author, first: $first, after: $after) {
    nodes { uuid } edges { cursor } pageInfo { startCursor endCursor hasNextPage }
  } }`

async function search(variables: Record<string, unknown>) {
  const { data, errors } = await app.graphql(viewer.token, source, variables)
  expect(errors).toEqual([])
  return data
}

const page = z.object({
  searchPublications: z.object({
    nodes: z.array(z.unknown()),
    pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
  }),
})

describe.each(['blocker', 'blocked', 'suspended', 'muted'])(
  'what the account that is %s wrote, of whom the viewer finds nothing,',
  (name) => {
    const searches = (author: Person) => [
      ...['divorce', 'divorce OR wedding', '-divorce', '"divorce lawyer" OR wedding', 'hello -divorce', 'wedding'].map(
        (text) => ({ text }),
      ),
      ...(name === 'muted'
        ? []
        : [
            ...['divorce', '-divorce', ''].map((text) => ({ text: `${text} from:${name}` })),
            { text: 'divorce', author: { uuid: author.id } },
            { text: 'divorce', author: { username: name } },
          ]),
    ]

    test.each([0, 20])('changes no answer to a search with first: %i', async (first) => {
      const author = hidden[name]
      if (!author) throw new TypeError()
      const answers = () => Promise.all(searches(author).map((variables) => search({ ...variables, first })))
      const write = (word: string) =>
        app.database.write.prisma.$executeRawUnsafe(
          `update publications set tokens = $$'${word}':1 'lawyer':2$$ where author_id = '${author.id}'`,
        )
      await write('hello')
      const before = await answers()
      await write('divorce')
      expect(await answers()).toEqual(before)
    })
  },
)

test('an account that is hidden has no page at all, though it has published', async () => {
  for (const name of ['blocker', 'blocked', 'suspended'])
    for (const text of [`divorce from:${name}`, `-wedding from:${name}`, `from:${name}`, `hello from:${name}`])
      expect(page.parse(await search({ text, first: 0 })).searchPublications).toEqual({
        nodes: [],
        pageInfo: { endCursor: null, hasNextPage: false },
      })
})

test('a flood of matches that the viewer may not see costs no more than a page, and others follow it', async () => {
  const variables = { text: 'flood', first: 20 }
  const { rows, cost } = await measure(app, { viewer: viewer.id, source, variables, hides: true })
  expect(cost).toBeGreaterThan(5_000)
  expect(rows).toBeLessThan(30_000)
  const found: unknown[] = []
  let pages = 0
  let position: z.infer<typeof page>['searchPublications']['pageInfo'] = { endCursor: null, hasNextPage: true }
  for (; position.hasNextPage; pages += 1) {
    const { nodes, pageInfo } = page.parse(await search({ ...variables, after: position.endCursor })).searchPublications
    found.push(...nodes)
    position = pageInfo
  }
  expect(found).toHaveLength(2)
  expect(pages).toBeLessThan(4)
})

test('fewer than 500 hidden matches do not move the end of a page that reads too much', async () => {
  const apart = "'slow':1 'train':5"
  for (const [at, first] of ['03', '04', '05'].entries()) await add(other, 20 + at, 600, apart, first)
  await add(flooder, 23, 500, "'hello':1", '05')
  await add(other, 24, 300, "'hello':1", '06')
  await app.database.write.prisma.$executeRaw`analyze`
  const answer = async () => page.parse(await search({ text: '"slow train"', first: 20 })).searchPublications
  const before = await answer()
  expect(before).toMatchObject({ nodes: [], pageInfo: { endCursor: expect.any(String), hasNextPage: true } })
  await app.database.write.prisma.$executeRawUnsafe(
    `update publications set tokens = $$${apart}$$ where author_id = '${flooder.id}' and id > '05000000-0000-7000-8000-000000000000'`,
  )
  expect(await answer()).toEqual(before)
})

test('a step of a search that would read too many posting items is void', async () => {
  const stepOf = (reach: number, expected: number) =>
    app.database.write.prisma.$queryRawUnsafe(
      `select s.items, s.candidates, s.is_void as "isVoid" from search_span($$'hello'$$, $$'hello'$$, ` +
        `null, null, true, null, '01ffffff-ffff-ffff-ffff-ffffffffffff', 3, 5000, ${reach}, ${expected}) s`,
    )
  expect(await stepOf(500, 9_000)).toEqual([{ items: 501, candidates: 0, isVoid: true }])
  expect(await stepOf(3_000, 9_000)).toMatchObject([{ items: 700, isVoid: false }])
  expect(await stepOf(500, 50)).toMatchObject([{ items: 50, isVoid: false }])
})
