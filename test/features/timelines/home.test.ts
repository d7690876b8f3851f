import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, follows, mutes, reposts } from '../../../src/features/base/relations.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
/** Whom ada follows. */
let friends: Person[]
let dan: Person
let strange: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  friends = await people(app, 7)
  ;[dan, strange] = [await app.person('dan'), await app.person()]
  for (const friend of friends) await setRelation(app, ada, follows, friend.id)
})
afterAll(() => app.close())

const friend = (index: number): Person => friends[index] ?? ada
const repost = (person: Person, uuid: string, wanted = true) => setRelation(app, person, reposts, uuid, wanted)

const page = z.object({
  home: z.object({
    nodes: z.array(
      z.object({
        uuid: z.uuid(),
        publication: z.object({ uuid: z.uuid() }),
        repostedBy: z.array(z.object({ uuid: z.uuid() })),
        reposterCount: z.int(),
      }),
    ),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

const document = `query ($first: Int!, $after: String) { home(first: $first, after: $after) {
  nodes { uuid publication { uuid } repostedBy { uuid } reposterCount } pageInfo { hasNextPage endCursor } } }`

async function readHome(first: number, after: string | null = null) {
  const { data, errors } = await app.graphql(ada.token, document, { first, after })
  expect(errors).toEqual([])
  return page.parse(data).home
}

/** All pages of ada's home. */
async function walkHome(size: number) {
  const pages = []
  for (let after: string | null = null, isMore = true; isMore; ) {
    const { nodes, pageInfo } = await readHome(size, after)
    pages.push(nodes)
    after = pageInfo.endCursor
    isMore = pageInfo.hasNextPage
  }
  return pages
}

const itemOf = async (uuid: string) => {
  const { nodes } = await readHome(100)
  const found = nodes.find(({ publication }) => publication.uuid === uuid)
  return found && { by: found.repostedBy.map((by) => by.uuid), count: found.reposterCount }
}

test('an item shows the five latest of those who reposted it, and counts all of them', async () => {
  const post = await publish(app, dan)
  await repost(strange, post)
  for (const each of friends) await repost(each, post)
  const latest = friends.toReversed().map(({ id }) => id)
  expect(await itemOf(post)).toEqual({ by: latest.slice(0, 5), count: 7 })
  await setRelation(app, ada, mutes, friend(6).id)
  await repost(friend(5), post, false)
  expect(await itemOf(post)).toEqual({ by: latest.slice(2), count: 5 })
  await app.database.write.prisma.mute.updateMany({ data: { until: new Date(Date.now() - 1_000) } })
  expect(await itemOf(post)).toEqual({ by: [latest[0], ...latest.slice(2, 6)], count: 6 })
})

test('what is reposted disappears with its author, and comes back', async () => {
  const author = await app.person()
  const judge = await moderator(app)
  const post = await publish(app, author)
  await repost(friend(0), post)
  const isShown = async () => (await itemOf(post)) !== undefined
  const ways: readonly (readonly [() => Promise<unknown>, () => Promise<unknown>])[] = [
    [
      () => mutate(app, author, 'updateProfile', { isPrivate: true }, '__typename'),
      () => mutate(app, author, 'updateProfile', { isPrivate: false }, '__typename'),
    ],
    [
      () => mutate(app, judge, 'suspendUser', { uuid: author.id, reason: 'Spam' }, '__typename'),
      () => mutate(app, judge, 'reinstateUser', { uuid: author.id }, '__typename'),
    ],
    [
      () => mutate(app, judge, 'suspendUser', { uuid: friend(0).id, reason: 'Spam' }, '__typename'),
      () => mutate(app, judge, 'reinstateUser', { uuid: friend(0).id }, '__typename'),
    ],
    [() => setRelation(app, author, blocks, ada.id), () => setRelation(app, author, blocks, ada.id, false)],
    [() => setRelation(app, ada, mutes, author.id), () => setRelation(app, ada, mutes, author.id, false)],
  ]
  expect(await isShown()).toBe(true)
  for (const [hide, show] of ways) {
    await hide()
    expect(await isShown()).toBe(false)
    await show()
    expect(await isShown()).toBe(true)
  }
})

/** Everything that ada's home has, by a naive query: the ids of posts and reposts by publication, newest first. */
async function naive(): Promise<Map<string, string[]>> {
  const rows = await app.database.write.prisma.$queryRaw<{ id: string; of: string }[]>`
    with shown as (
      select p.id, p.author_id as by, p.id as of from publications p where p.parent_id is null and p.deleted_at is null
      union all select r.id, r.user_id, r.publication_id from reposts r)
    select s.id, s.of from shown s join publications p on p.id = s.of
    where (s.by = ${ada.id}::uuid or s.by in (select f.followee_id from follows f where f.follower_id = ${ada.id}::uuid))
      and p.author_id not in (select h.hidden_id from blocked_pairs h where h.viewer_id = ${ada.id}::uuid)
    order by s.id desc`
  const all = new Map<string, string[]>()
  for (const { id, of } of rows) all.set(of, [...(all.get(of) ?? []), id])
  return all
}

/** Sets ada's counter as if she followed many. */
const followMany = () =>
  app.database.write.prisma.user.update({ where: { id: ada.id }, data: { followingCount: 1_000 } })

/** Publishes posts that are not in ada's home. */
const publishElsewhere = (count: number) =>
  app.database.write.prisma.publication.createMany({
    data: Array.from({ length: count }, () => ({ id: newId(), authorId: strange.id, content: 'Elsewhere' })),
  })

/** The ways in which pages are found. Each builds on the rows of the one before. */
const networks: readonly (readonly [name: string, arrange: () => Promise<unknown>])[] = [
  ['for who follows few', async () => undefined],
  ['for who follows many, in an active network', followMany],
  ['for who follows many, in a network where others post', () => publishElsewhere(1_100)],
]

describe('pages of posts and reposts of a whole network', () => {
  beforeAll(async () => {
    const hidden = await app.person()
    for (let round = 0; round < 6; round += 1)
      for (const [nth, each] of friends.entries()) {
        const [mine, theirs] = [await publish(app, each), await publish(app, dan)]
        await repost(friend((nth + 1) % 7), mine)
        if (round % 2 === 0) for (const other of friends.slice(nth)) await repost(other, theirs)
      }
    // More than a page looks at.
    for (let count = 0; count < 80; count += 1) await repost(friend(count % 7), await publish(app, hidden))
    await setRelation(app, ada, blocks, hidden.id)
    await repost(friend(1), await publish(app, ada))
  })

  describe.each(networks)('%s', (_name, arrange) => {
    beforeAll(async () => {
      await arrange()
      // Viewers are cached, with whether their account follows many.
      ada = { ...ada, token: await app.token(ada, commonScopes) }
    })

    test.each([1, 2, 7, 100])('have each post and repost once, in pages of %i', async (size) => {
      const all = await naive()
      const items = (await walkHome(size)).flat()
      const ids = items.map(({ uuid }) => uuid)
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed())
      expect([...new Set(items.map(({ publication }) => publication.uuid))]).toEqual([...all.keys()])
      for (const [uuid, rows] of all) {
        const own = items.filter(({ publication }) => publication.uuid === uuid)
        expect(own.reduce((sum, { reposterCount }) => sum + reposterCount, 0)).toBe(
          rows.filter((id) => id !== uuid).length,
        )
        expect(own[0]?.uuid).toBe(rows[0])
      }
    })
  })

  test('a page of which everything is hidden has a cursor from which the next goes on', async () => {
    const pages = await walkHome(2)
    expect(pages.some((nodes) => nodes.length === 0)).toBe(true)
    expect((await walkHome(2)).at(-1)?.length).toBeGreaterThan(0)
  })

  test('take one statement', async () => {
    for (const size of [0, 1, 20]) {
      const item = 'publication { content quoted { content } } repostedBy { username badges { name } }'
      const source = `{ home(first: ${size}) { nodes { ${item} } } }`
      const answers: unknown[] = []
      const statements = await app.statementsOf(async () => answers.push(await app.graphql(ada.token, source)))
      expect(answers).toMatchObject([{ errors: [] }])
      expect(statements).toHaveLength(1)
    }
  })
})
