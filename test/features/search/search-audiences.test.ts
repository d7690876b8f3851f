import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { follows } from '../../../src/features/base/relations.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { measure } from '../../support/database/rows-read.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
/** Writes for everybody, for followers and for addressees. */
let ann: Person
/** Has a private account. */
let pia: Person
let follower: Person
let addressee: Person
let stranger: Person
let other: Person
const tokens: Record<string, string> = {}

type Kind = {
  readonly author: Person
  readonly kind: number
  readonly count: number
  readonly word: string
  readonly audience?: string
  readonly circle?: string
  readonly parentAuthor?: Person
  readonly first?: string
}

/** The start of an addressed conversation. */
const conversation = '00000001-0000-7000-8000-000000000099'

/** Adds so many publications, one for each minute or two since a year, or from another time on. */
async function add({ author, kind, count, word, audience = 'EVERYBODY', circle, parentAuthor, first = '01' }: Kind) {
  const key = `('${first}' || lpad(to_hex(n), 6, '0') || '-0000-7000-8000-${String(kind).padStart(12, '0')}')::uuid`
  const literalOf = (id: string | undefined) => (id === undefined ? 'null' : `'${id}'`)
  await app.database.write.prisma.$executeRawUnsafe(
    `insert into publications (id, author_id, root_id, content, tokens, audience, circle_id, parent_author_id)
     select ${key}, '${author.id}', ${key}, '${audience}', $$'${word}':1$$, '${audience}',
       ${literalOf(circle)}, ${literalOf(parentAuthor?.id)}
     from generate_series(1, ${count}) n`,
  )
}

beforeAll(async () => {
  app = await startApp()
  ann = await app.person('ann')
  pia = await app.person('pia')
  follower = await app.person('follower')
  addressee = await app.person('addressee')
  stranger = await app.person('stranger')
  other = await app.person('other')
  const moderator = await app.person('moderator')
  Object.assign(tokens, {
    author: ann.token,
    follower: follower.token,
    addressee: addressee.token,
    stranger: stranger.token,
    moderator: await app.token(moderator, [...commonScopes, 'moderation.manage']),
  })
  for (const author of [ann, pia]) await setRelation(app, follower, follows, author.id)
  await add({ author: ann, kind: 1, count: 5, word: 'hello', first: '02' })
  await add({ author: ann, kind: 2, count: 3_000, word: 'plain', audience: 'FOLLOWERS', circle: ann.id })
  const addressed = { author: ann, audience: 'ADDRESSED', circle: conversation }
  await add({ ...addressed, kind: 99, count: 1, word: 'conversation', first: '00' })
  await add({ ...addressed, kind: 3, count: 3_000, word: 'plain' })
  await add({ author: other, kind: 4, count: 300, word: 'hello' })
  await add({ author: other, kind: 5, count: 1, word: 'wedding', first: '00' })
  await add({ author: pia, kind: 6, count: 2_500, word: 'hello' })
  await add({ author: pia, kind: 7, count: 1, word: 'hello', parentAuthor: addressee, first: '00' })
  await add({ author: pia, kind: 8, count: 1, word: 'hello', audience: 'ADDRESSED', circle: conversation, first: '00' })
  const { prisma } = app.database.write
  await prisma.addressee.createMany({
    data: [ann, addressee].map(({ id }) => ({ publicationId: conversation, userId: id })),
  })
  await prisma.privateAccount.create({ data: { userId: pia.id } })
  await prisma.$executeRaw`analyze`
})
afterAll(() => app.close())

const source = `query ($text: String!, $author: UserBy, $first: Int, $after: String) {
  searchPublications(text: $text, author: $author, first: $first, after: $after) {
    nodes { uuid content } edges { cursor } pageInfo { startCursor endCursor hasNextPage }
  } }`

async function search(viewer: string, variables: Record<string, unknown>) {
  const { data, errors } = await app.graphql(tokens[viewer], source, variables)
  expect(errors).toEqual([])
  return data
}

const page = z.object({
  searchPublications: z.object({
    nodes: z.array(z.object({ uuid: z.string(), content: z.string() })),
    pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
  }),
})

/** How many publications of each audience all pages of a search have. */
async function found(viewer: string, variables: Record<string, unknown>) {
  const counts: Record<string, number> = {}
  const seen = new Set<string>()
  let position: z.infer<typeof page>['searchPublications']['pageInfo'] = { endCursor: null, hasNextPage: true }
  while (position.hasNextPage) {
    const answer = await search(viewer, { ...variables, first: 100, after: position.endCursor })
    const { nodes, pageInfo } = page.parse(answer).searchPublications
    for (const { uuid, content } of nodes) {
      expect(seen).not.toContain(uuid)
      seen.add(uuid)
      counts[content] = (counts[content] ?? 0) + 1
    }
    position = pageInfo
  }
  return counts
}

const texts = ['divorce', 'divorce OR wedding', '-divorce', '"divorce lawyer" OR wedding', 'hello -divorce']

describe.each([
  ['FOLLOWERS', 2, ['stranger', 'addressee', 'moderator']],
  ['ADDRESSED', 3, ['stranger', 'follower', 'moderator']],
] as const)('what an account wrote for its %s', (_audience, kind, viewers) => {
  test.each(viewers.flatMap((viewer) => [0, 1, 20].map((first) => [viewer, first] as const)))(
    'changes no answer to a search of a %s with first: %i',
    async (viewer, first) => {
      const searches = texts.flatMap((text) => [
        { text },
        { text: `${text} from:ann` },
        { text, author: { uuid: ann.id } },
      ])
      const answers = () => Promise.all(searches.map((variables) => search(viewer, { ...variables, first })))
      const write = (word: string) =>
        app.database.write.prisma.$executeRawUnsafe(
          `update publications set tokens = $$'${word}':1 'lawyer':2$$
           where id >= '01000a00-0000-7000-8000-000000000000' and id::text like '%${kind}' and author_id = '${ann.id}'
             and audience <> 'EVERYBODY'`,
        )
      await write('plain')
      const before = await answers()
      await write('divorce')
      expect(await answers()).toEqual(before)
      await write('plain')
    },
  )
})

test('everybody finds what is for them, each once', async () => {
  const text = 'hello OR plain'
  const [everybody, byName] = [{ EVERYBODY: 5 }, { text: `${text} from:ann` }]
  for (const viewer of ['stranger', 'moderator']) {
    expect(await found(viewer, { text })).toEqual({ EVERYBODY: 305 })
    expect(await found(viewer, byName)).toEqual(everybody)
    expect(await found(viewer, { text, author: { uuid: ann.id } })).toEqual(everybody)
  }
  expect(await found('follower', byName)).toEqual({ ...everybody, FOLLOWERS: 3_000 })
  expect(await found('addressee', byName)).toEqual({ ...everybody, ADDRESSED: 3_000 })
})

test('what a private account wrote is found by its followers, and by those whom it addressed', async () => {
  for (const more of [{ text: 'from:pia' }, { text: 'hello', author: { uuid: pia.id } }]) {
    expect(await found('stranger', more)).toEqual({})
    expect(await found('moderator', more)).toEqual({})
    expect(await found('addressee', more)).toEqual({ EVERYBODY: 1, ADDRESSED: 1 })
    expect(await found('follower', more)).toEqual({ EVERYBODY: 2_501 })
  }
})

test('a flood of matches that are not for the viewer costs no more than a page', async () => {
  for (const text of ['plain', 'plain from:ann', 'hello from:pia', 'from:pia', '-hello from:ann']) {
    const { rows, cost } = await measure(app, { viewer: stranger.id, source, variables: { text, first: 20 } })
    expect(cost).toBeGreaterThan(5_000)
    expect(rows).toBeLessThan(100_000)
  }
})
