import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, follows, mutes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ann: Person

beforeAll(async () => {
  app = await startApp()
  ann = await app.person('ann')
})
afterAll(() => app.close())

const page = z.object({
  searchPublications: z.object({
    nodes: z.array(z.object({ content: z.string() })),
    pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
  }),
})

async function search(text: string, more: Record<string, unknown> = {}, viewer = ann) {
  const { data, errors } = await app.graphql(
    viewer.token,
    `query ($text: String!, $author: UserBy, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
      searchPublications(text: $text, author: $author, since: $since, until: $until, first: $first, after: $after) {
        nodes { content } pageInfo { endCursor hasNextPage }
      }
    }`,
    { text, ...more },
  )
  expect(errors).toEqual([])
  return page.parse(data).searchPublications
}

const contents = async (...request: Parameters<typeof search>) =>
  (await search(...request)).nodes.map(({ content }) => content)

test.each([
  ['CAFÉ', 'the cafe is open', true],
  ['cafe', 'Le Café ouvre', true],
  ['strasse', 'Hauptstraße 5', false],
  ['hauptstrasse', 'Hauptstraße 7', true],
  ['άνθρωπος', 'Ο ΑΝΘΡΩΠΟΣ', true],
  ['ΑΝΘΡΩΠΟΣ', 'κάθε άνθρωπος', true],
  ['open closed', 'open today', false],
  ['closed OR open', 'open today, xq1', true],
  ['closed or open', 'open today, xq2', false],
  ['"good morning"', 'a good, morning', true],
  ['"good morning"', 'morning is good', false],
  ['tea -milk', 'tea with milk', false],
  ['東京', '明日は東京都に行く', true],
  ['京東', '明日は東京都に行くよ', false],
  ['がくせい', '私はがくせいです', true],
  ['สวัสดี', 'คำว่าสวัสดีครับ', true],
  ['ｗｉｄｅ', 'a wide street', true],
  ['example.org', 'see https://example.org/about', true],
  ['about', 'see https://example.net/about', true],
  ['שלום', 'שָׁלוֹם לכם', true],
  ['"東京"', '明日は東京都です', true],
  ['明日 -"東京"', '明日は東京です', false],
  ['covid 19', 'covid-19 is over', true],
  ['covid-19', '19 days of covid', false],
  ['details', 'in <details> there', true],
  ['foo png', 'see foo.png there', true],
  ['Berlin - Hamburg', 'Hamburg, Berlin', true],
  ['“mechanical engineer”', 'a mechanical engineer', true],
  ['«engineer mechanical»', 'the mechanical engineer', false],
  ['lodz', 'Łódź', true],
  ['𠮾', '叱𠮷𠮾', true],
  ['한국', '한국은 좋다', true],
  ['👍', 'fine 👍🏽', true],
  ['C++', 'C++ or C', true],
  ['C++', 'C or D', false],
  ['привет', 'Привет, мир', true],
  ['नमस्ते', 'नमस्ते दुनिया', true],
  ['محمد', 'مُحَمَّد هنا', true],
])('a search for %s finds %s: %s', async (text, content, isFound) => {
  await publish(app, ann, { content })
  expect((await contents(text)).includes(content)).toBe(isFound)
})

test.each(['"', '-', '""', '&', '(', ':*', "'", '\\', '🙂', '-nothing'])(
  'a search for %s is no error',
  async (text) => {
    await search(text)
  },
)

test.each([
  ['', 'must not be blank'],
  ['x'.repeat(201), 'must have 1 to 200 characters'],
  ['\u0000', 'must not contain control characters other than tab and line breaks'],
])('a search for %j is refused', async (text, message) => {
  const { errors } = await app.graphql(
    ann.token,
    'query ($text: String!) { searchPublications(text: $text) { nodes { uuid } } searchUsers(text: $text) { uuid } }',
    { text },
  )
  // Once at each field.
  const refused = { code: 'VALIDATION_FAILED', errors: [{ field: 'text', message }] }
  expect(errors.map(({ extensions }) => extensions)).toMatchObject([refused, refused])
})

test('pages go on from their cursor, newest first, with replies', async () => {
  const post = await publish(app, ann, { content: 'kestrel 0' })
  for (const number of [1, 2, 3, 4]) await publish(app, ann, { content: `kestrel ${number}`, parent: post })
  const first = await search('kestrel', { first: 3 })
  expect(first.nodes.map(({ content }) => content)).toEqual(['kestrel 4', 'kestrel 3', 'kestrel 2'])
  expect(first.pageInfo.hasNextPage).toBe(true)
  const second = await search('kestrel', { first: 3, after: first.pageInfo.endCursor })
  expect(second.nodes.map(({ content }) => content)).toEqual(['kestrel 1', 'kestrel 0'])
  expect(second.pageInfo.hasNextPage).toBe(false)
})

/** Runs with so many newer publications that a search has to look beyond the newest. */
async function burying(work: () => Promise<void>) {
  const { prisma } = app.database.write
  await prisma.$executeRaw`insert into publications (id, author_id, content, tokens)
    select (to_char(number, 'fm00000000') || '-0000-7000-8000-000000000000')::uuid, ${ann.id}::uuid, 'filler', '''filler'':1'
    from generate_series(90000000, 90002200) number`
  await work()
  await prisma.$executeRaw`delete from publications where content = 'filler'`
}

test('what is rare is found behind many newer posts', async () => {
  const bob = await app.person()
  await publish(app, bob, { content: 'capercaillie' })
  await burying(async () => {
    expect(await contents('capercaillie')).toEqual(['capercaillie'])
    expect(await contents('capercaillie', { author: { uuid: bob.id } })).toEqual(['capercaillie'])
    expect(await contents('capercaillie', { author: { uuid: ann.id } })).toEqual([])
    expect((await search('filler', { first: 2, author: { username: '@Ann' } })).nodes).toHaveLength(2)
  })
})

test('a page that has looked at many ends early, and the next one goes on there', async () => {
  await publish(app, ann, { content: 'ptarmigan, once' })
  await burying(async () => {
    const early = await search('-filler from:ann', { first: 1 })
    expect(early).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } })
    const next = await search('-filler from:ann', { first: 1, after: early.pageInfo.endCursor })
    expect(next.nodes).toEqual([{ content: 'ptarmigan, once' }])
  })
})

test('an author and a time narrow it, and an unknown author has published nothing', async () => {
  const bob = await app.person('bob')
  await publish(app, ann, { content: 'osprey of ann' })
  await publish(app, bob, { content: 'osprey of bob' })
  expect(await contents('osprey', { author: { username: 'bob' } })).toEqual(['osprey of bob'])
  expect(await contents('osprey', { author: { username: 'nobody' } })).toEqual([])
  const [past, future] = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z']
  expect(await contents('osprey', { since: past, until: future })).toHaveLength(2)
  expect(await contents('osprey', { since: future })).toEqual([])
  expect(await contents('osprey', { until: past })).toEqual([])
  expect(await contents('from:@Bob osprey')).toEqual(['osprey of bob'])
  expect(await contents('from:bob', { author: { uuid: bob.id } })).toEqual(['osprey of bob'])
  expect(await contents('from:bob', { author: { uuid: ann.id } })).toEqual([])
  expect(await contents('from:nobody osprey')).toEqual([])
  expect(await contents('osprey since:2020-01-01 until:2100-01-01')).toHaveLength(2)
  expect(await contents('osprey since:2100-01-01')).toEqual([])
  expect(await contents('osprey until:2020-01-01')).toEqual([])
})

test('hashtags and mentions are found as such, alone and beside words', async () => {
  const [cleo, dan] = [await app.person('cleo'), await app.person('dan')]
  await publish(app, ann, { content: 'Plover and #Plover by @cleo and @cleo' })
  await publish(app, dan, { content: 'plover for @Cleo, #nest' })
  await publish(app, dan, { content: 'cleo likes #plover #nest' })
  expect(await contents('#plover')).toHaveLength(2)
  expect(await contents('@cleo')).toHaveLength(2)
  expect(await contents('#nest #PLOVER')).toEqual(['cleo likes #plover #nest'])
  expect(await contents('for ＃nest @CLEO')).toEqual(['plover for @Cleo, #nest'])
  expect(await contents('#plover @cleo by')).toEqual(['Plover and #Plover by @cleo and @cleo'])
  expect(await contents('#nest', { author: { uuid: ann.id } })).toEqual([])
  for (const text of ['#nest, #plover', '#nest & #plover!', '"" #plover #nest'])
    expect([text, await contents(text)]).toEqual([text, ['cleo likes #plover #nest']])
  for (const text of ['🙃', ',', '""', '!#']) expect([text, await contents(text)]).toEqual([text, []])
  await app.database.write.prisma.user.update({ where: { id: cleo.id }, data: { username: 'cleopatra' } })
  expect(await contents('@cleopatra')).toHaveLength(2)
  await burying(async () => {
    expect(await contents('#plover')).toHaveLength(2)
    expect(await contents('@cleopatra')).toHaveLength(2)
    expect(await contents('#nest #plover')).toHaveLength(1)
  })
})

test('words that must not be there narrow hashtags and mentions, and alone what is newest', async () => {
  const eve = await app.person('eve')
  await publish(app, eve, { content: 'dipper #stream @eve' })
  await publish(app, eve, { content: 'dipper #stream @eve, muddy' })
  const searches = ['#stream -muddy', '@eve -muddy', '-muddy @eve #stream', '#stream -muddy -cold']
  const found = async () =>
    expect(await Promise.all(searches.map((text) => contents(text)))).toEqual(
      searches.map(() => ['dipper #stream @eve']),
    )
  await found()
  await burying(async () => {
    await found()
    expect(await contents('#stream -dipper')).toEqual([])
    const { prisma } = app.database.write
    await prisma.publication.create({
      data: { id: '90003000-0000-7000-8000-000000000000', authorId: ann.id, content: 'newest' },
    })
    expect((await contents('-filler'))[0]).toBe('newest')
    await prisma.publication.deleteMany({ where: { content: 'newest' } })
  })
})

test('deleted and edited publications are found by what they are now', async () => {
  const [kept, gone] = [
    await publish(app, ann, { content: 'heron' }),
    await publish(app, ann, { content: 'heron too' }),
  ]
  await app.graphql(
    ann.token,
    'mutation ($uuid: UUID!) { deletePost(input: { uuid: $uuid }) { publication { uuid } } }',
    {
      uuid: gone,
    },
  )
  expect(await contents('heron')).toEqual(['heron'])
  await app.graphql(
    ann.token,
    'mutation ($uuid: UUID!) { updatePost(input: { uuid: $uuid, content: "egret" }) { publication { uuid } } }',
    { uuid: kept },
  )
  expect(await contents('heron')).toEqual([])
  expect(await contents('egret')).toEqual(['egret'])
})

test('who blocks or mutes an author does not find what they publish, nor whom a block hides', async () => {
  const [viewer, blocked, muted] = [await app.person(), await app.person('warbler_b'), await app.person('warbler_m')]
  for (const author of [blocked, muted]) await publish(app, author, { content: `warbler of ${author.username}` })
  await setRelation(app, viewer, blocks, blocked.id)
  await setRelation(app, viewer, mutes, muted.id)
  expect(await contents('warbler', {}, viewer)).toEqual([])
  expect(await contents('warbler')).toHaveLength(2)
  expect(await contents('warbler', { author: { uuid: blocked.id } }, viewer)).toEqual([])
  expect(await contents('warbler', { author: { uuid: muted.id } }, viewer)).toEqual(['warbler of warbler_m'])
  expect(await contents('warbler from:warbler_m', {}, viewer)).toEqual(['warbler of warbler_m'])
  expect(await usernames('warbler', viewer)).toEqual(['warbler_m'])
})

const users = z.object({ searchUsers: z.array(z.object({ username: z.string() })) })

async function usernames(text: string, viewer = ann, first?: number) {
  const { data } = await app.graphql(
    viewer.token,
    'query ($text: String!, $first: Int) { searchUsers(text: $text, first: $first) { username } }',
    { text, first },
  )
  return users.parse(data).searchUsers.map(({ username }) => username)
}

test('users are found by the beginning of their username, and by words of their name', async () => {
  const names = ['finch', 'finch_two', 'Finchley', 'goldfinch', 'other']
  const [, , finchley, , other] = await Promise.all(names.map((name) => app.person(name)))
  if (!finchley || !other) throw new TypeError()
  await mutate(app, other, 'updateProfile', { displayName: 'Zoë Finch' }, 'viewer { uuid }')
  expect(await usernames('finch')).toEqual(['finch', 'finch_two', 'Finchley', 'other'])
  expect(await usernames('@FINCH')).toEqual(['finch', 'finch_two', 'Finchley', 'other'])
  expect(await usernames('zoe')).toEqual(['other'])
  await setRelation(app, ann, follows, other.id)
  await setRelation(app, ann, follows, finchley.id)
  expect(await usernames('finch')).toEqual(['Finchley', 'other', 'finch', 'finch_two'])
  expect(await usernames('finch', ann, 1)).toEqual(['Finchley'])
  expect(await usernames('%')).toEqual([])
})

test('a former username finds its user, unless they are hidden', async () => {
  const [gil, viewer] = [await app.person('gadwall'), await app.person()]
  const { prisma } = app.database.write
  await prisma.user.update({ where: { id: gil.id }, data: { username: 'pochard', displayName: 'Gil' } })
  for (const text of ['gadwall', '@GADWALL', 'poch']) expect(await usernames(text, viewer)).toEqual(['pochard'])
  expect(await usernames('gadw', viewer)).toEqual([])
  await setRelation(app, viewer, blocks, gil.id)
  expect(await usernames('gadwall', viewer)).toEqual([])
})

test('REST finds the same, page by page, and names its own parameter in errors', async () => {
  for (const number of [1, 2, 3]) await publish(app, ann, { content: `goldcrest & co. ${number}` })
  const first = await app.rest(ann.token, 'GET', '/search/posts?q=goldcrest%20%26%20co&limit=2')
  expect(await first.json()).toMatchObject({
    posts: [{ content: 'goldcrest & co. 3' }, { content: 'goldcrest & co. 2' }],
  })
  const [, next = ''] = /^<\/api\/v1(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
  const second = await app.rest(ann.token, 'GET', next)
  expect(await second.json()).toMatchObject({ posts: [{ content: 'goldcrest & co. 1' }] })
  expect(second.headers.get('link')).toBeNull()
  for (const path of ['/search/posts', '/search/posts?q=', '/search/users?q=%20']) {
    const refused = await app.rest(ann.token, 'GET', path)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({ errors: [{ field: 'q' }] })
  }
})
