import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { readAnswer } from '../../support/rest/answer.ts'

/** More posts than a page looks at. */
const many = 2_500

let app: TestApp
let ada: Person
const uuids: Record<string, string> = {}
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  for (const language of ['fy', 'en', 'en-GB', 'enm', 'nl', 'und'])
    uuids[language] = await publish(app, ada, { content: `In #${language.slice(0, 2)}, #all`, language })
})
afterAll(() => app.close())

const page = z.object({
  nodes: z.array(z.object({ uuid: z.uuid() })),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  totalCount: z.number().nullable(),
})

const selected = '{ nodes { uuid } pageInfo { hasNextPage endCursor } totalCount }'
/** The lists that have these arguments, each as a selection with them, and how it is found in the response. */
const lists = {
  publicTimeline: (args: string) => `list: publicTimeline(${args}) ${selected}`,
  'Hashtag.publications': (args: string) => `hashtag(name: "all") { list: publications(${args}) ${selected} }`,
  searchPublications: (args: string) => `list: searchPublications(text: "all", ${args}) ${selected}`,
} as const
const everyList = Object.entries(lists).map(([name, select]) => ({ name, select }))

const listIn = (data: unknown) => page.parse(Object(data).list ?? Object(data).hashtag.list)
async function read(select: (args: string) => string, args: string) {
  const { data, errors } = await app.graphql(ada.token, `{ ${select(args)} }`)
  expect(errors).toEqual([])
  return listIn(data)
}
const found = async (select: (args: string) => string, args: string) =>
  (await read(select, args)).nodes
    .map(({ uuid }) => Object.keys(uuids).find((name) => uuids[name] === uuid))
    .toReversed()

describe.each(everyList)('languages in $name', ({ name, select }) => {
  test.each([
    ['languages: ["en"], includeUnknownLanguage: false', ['en', 'en-GB']],
    ['languages: ["EN-gb"], includeUnknownLanguage: false', ['en-GB']],
    ['languages: ["en", "nl"]', ['en', 'en-GB', 'nl', 'und']],
    ['languages: ["de"]', ['und']],
    ['languages: ["de"], includeUnknownLanguage: false', []],
    ['languages: []', ['fy', 'en', 'en-GB', 'enm', 'nl', 'und']],
    ['includeUnknownLanguage: false', ['fy', 'en', 'en-GB', 'enm', 'nl', 'und']],
  ])('%s', async (args, expected) => {
    expect(await found(select, args)).toEqual(expected)
  })

  test('are not counted', async () => {
    expect((await read(select, 'first: 1, languages: ["en"]')).totalCount).toBeNull()
    if (name === 'Hashtag.publications') expect((await read(select, 'first: 1')).totalCount).toBe(6)
  })

  test.each([
    ['[""]', 'languages[0]'],
    ['["en", "en_GB"]', 'languages[1]'],
    [JSON.stringify(Array(21).fill('en')), 'languages'],
  ])('of %s are refused', async (languages, field) => {
    const { errors } = await app.graphql(ada.token, `{ ${select(`languages: ${languages}`)} }`)
    const refused = { code: 'VALIDATION_FAILED', errors: [{ field: expect.stringContaining(field) }] }
    expect(errors).toMatchObject([{ extensions: refused }])
  })
})

describe.each([
  ['/timeline/public/1', '/timeline/public'],
  ['/tag/all/1', '/tag/all'],
  ['/search/posts?q=all', '/search/posts'],
])('%s', (path, base) => {
  const join = path.includes('?') ? '&' : '?'
  const ask = async (query: string) => {
    const { status, body, headers } = await readAnswer(await app.rest(ada.token, 'GET', `${path}${join}${query}`))
    return { status, body, link: headers.link ?? '' }
  }

  test('selects by languages, and keeps them in its links', async () => {
    const query = 'limit=1&language=nl&language=en-gb&include_unknown_language=false'
    const { body, link } = await ask(query)
    expect(body).toMatchObject({ posts: [{ uuid: uuids.nl }] })
    const next = /<([^>]*)>; rel="next"/.exec(link)?.[1] ?? ''
    expect(next).toContain(base)
    expect(next).toContain('language=nl&language=en-gb&include_unknown_language=false')
    const following = await readAnswer(await app.rest(ada.token, 'GET', next.replace('/api/v1', '')))
    expect(following.body).toMatchObject({ posts: [{ uuid: uuids['en-GB'] }] })
  })

  test.each([
    ['language=english_language', 'language[0]'],
    ['include_unknown_language=no', 'include_unknown_language'],
    [Array(21).fill('language=en').join('&'), 'language'],
  ])('refuses %s', async (query, field) => {
    expect(await ask(query)).toMatchObject({ status: 422, body: { errors: [{ field }] } })
  })
})

describe('with many newer posts in another language', () => {
  beforeAll(async () => {
    await app.database.write.prisma.$executeRaw`
      with made as (
        insert into publications (id, author_id, content, tokens, language)
        select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')
            || '7fff8000' || lpad(to_hex(n), 12, '0'))::uuid, p.author_id, p.content, p.tokens, 'de'
        from publications p, generate_series(1, ${many}::int) n where p.id = ${uuids.nl}::uuid
        returning id)
      insert into hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_listed)
      select made.id, h.id, 8, 12, true from made, hashtags h where h.name = 'all'`
  })

  test.each(everyList)('$name is read to its end by short pages of one statement each', async ({ select }) => {
    const all: string[] = []
    const ofPages = new Set<number>()
    let [after, pages, isMore] = ['null', 0, true]
    for (; isMore && pages < 20; pages += 1) {
      let last: z.infer<typeof page> | undefined
      const statements = await app.statementsOf(async () => {
        last = await read(select, `first: 2, after: ${after}, languages: ["en", "fy"], includeUnknownLanguage: false`)
      })
      if (!last) break
      ofPages.add(statements.filter((text) => /in_languages|search_page/.test(text)).length)
      all.push(...last.nodes.map(({ uuid }) => uuid))
      after = JSON.stringify(last.pageInfo.endCursor)
      isMore = last.pageInfo.hasNextPage
    }
    expect(all).toEqual([uuids['en-GB'], uuids.en, uuids.fy])
    expect([...ofPages]).toEqual([1])
  })

  test('a page of the timeline or of a hashtag looks at a thousand posts, not at all', async () => {
    for (const select of [lists.publicTimeline, lists['Hashtag.publications']]) {
      const { nodes, pageInfo } = await read(select, 'languages: ["en"], includeUnknownLanguage: false')
      expect(nodes).toEqual([])
      expect(pageInfo).toEqual({ hasNextPage: true, endCursor: expect.any(String) })
    }
  })

  test('an author in one language is found by their others', async () => {
    const eve = await app.person('eve')
    const uuid = await publish(app, eve, { content: 'all', language: 'en' })
    const { nodes } = await read(lists.searchPublications, 'author: { username: "eve" }, languages: ["en"]')
    expect(nodes).toEqual([{ uuid }])
  })
})
