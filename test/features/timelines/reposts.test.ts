import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, follows, mutes, reposts } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { pageOfChanges, settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { inShort } from '../../support/graphql/notifications.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let bob: Person
let cyd: Person
let dan: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  cyd = await app.person('cyd')
  dan = await app.person('dan')
  await setRelation(app, ada, follows, bob.id)
  await setRelation(app, ada, follows, cyd.id)
})
afterAll(() => app.close())

const repost = (person: Person, uuid: string, wanted = true) => setRelation(app, person, reposts, uuid, wanted)

const item = z.object({
  repostedBy: z.array(z.object({ username: z.string() })),
  reposterCount: z.number(),
  publication: z.object({ uuid: z.string() }),
})
const page = z.object({ home: z.object({ nodes: z.array(item) }) })

/** The items of a person's home timeline: who reposted what. */
async function homeOf(person: Person) {
  const { data } = await app.graphql(
    person.token,
    '{ home(first: 50) { nodes { repostedBy { username } reposterCount publication { uuid } } } }',
  )
  return page
    .parse(data)
    .home.nodes.map(({ repostedBy, publication }) => [...repostedBy.map(({ username }) => username), publication.uuid])
}

test('what followed accounts repost is one item of home, and in no list of posts', async () => {
  const post = await publish(app, dan)
  expect((await repost(bob, post)).data).toEqual({ setRepost: { action: 'REPOSTED' } })
  expect((await repost(bob, post)).data).toEqual({ setRepost: { action: 'REPOSTED' } })
  await repost(cyd, post)
  expect(await homeOf(ada)).toEqual([['cyd', 'bob', post]])
  expect(
    (
      await app.graphql(
        bob.token,
        `{ post(uuid: "${post}") { repostCount viewerHasReposted reposters(first: 5) { totalCount nodes { username } } } }`,
      )
    ).data,
  ).toEqual({
    post: {
      repostCount: 2,
      viewerHasReposted: true,
      reposters: { totalCount: 2, nodes: [{ username: 'cyd' }, { username: 'bob' }] },
    },
  })
  expect(await inShort(app, dan)).toEqual(['new REPOST 2 cyd bob'])
  const lists = await app.graphql(
    ada.token,
    `{ homeTimeline { nodes { uuid } } publicTimeline { nodes { uuid } }
      user(by: { username: "bob" }) { posts { nodes { uuid } } reposts { nodes { uuid } }
        timeline { nodes { repostedBy { username } reposterCount publication { uuid } } } } }`,
  )
  expect(lists.data).toEqual({
    homeTimeline: { nodes: [] },
    publicTimeline: { nodes: [{ uuid: post }] },
    user: {
      posts: { nodes: [] },
      reposts: { nodes: [{ uuid: post }] },
      timeline: { nodes: [{ repostedBy: [{ username: 'bob' }], reposterCount: 1, publication: { uuid: post } }] },
    },
  })
  await setRelation(app, ada, mutes, dan.id)
  expect(await homeOf(ada)).toEqual([])
  await setRelation(app, ada, mutes, dan.id, false)
  await setRelation(app, dan, blocks, ada.id)
  expect(await homeOf(ada)).toEqual([])
  await setRelation(app, dan, blocks, ada.id, false)
  await setRelation(app, ada, mutes, cyd.id)
  expect(await homeOf(ada)).toEqual([['bob', post]])
  await setRelation(app, ada, mutes, cyd.id, false)
  expect((await toggleRelation(app, bob, reposts, post)).data).toEqual({ toggleRepost: { action: 'UNREPOSTED' } })
  expect(await homeOf(ada)).toEqual([['cyd', post]])
  await app.rest(dan.token, 'DELETE', `/post/${post}`)
  expect(await homeOf(ada)).toEqual([])
  expect(await inShort(app, dan)).toEqual([])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('the feed of home has the reposts of followed accounts, and that of a publication or its quotes has those', async () => {
  const post = await publish(app, dan)
  const after = await settledCursor(app, ada)
  await repost(cyd, post)
  await repost(cyd, post, false)
  await repost(dan, post)
  const quote = await publish(app, bob, { quote: post })
  await untilSettled(app)
  const kinds = async (of: Record<string, unknown>) =>
    (await pageOfChanges(app, ada, { of, after })).nodes.map(({ kind, actor, uuid }) => [kind, actor?.username, uuid])
  expect(await kinds({ home: true })).toEqual([
    ['REPOSTED', 'cyd', post],
    ['UNREPOSTED', 'cyd', post],
    ['PUBLISHED', 'bob', quote],
  ])
  expect(await kinds({ users: [dan.id] })).toEqual([['REPOSTED', 'dan', post]])
  expect(await kinds({ quotesOf: [post] })).toEqual([['PUBLISHED', 'bob', quote]])
})
