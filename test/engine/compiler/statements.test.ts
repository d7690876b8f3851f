import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { publish } from '../../support/graphql/publish.ts'
import { createTimeline } from '../../support/networks/timeline-rows.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
let posts: string[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  posts = await createTimeline(app.database, ada.id, { authors: 10, posts: 6, replies: 5 })
})
afterAll(() => app.close())

const newReply = () => publish(app, ada, { parent: posts[0] ?? '' })

// Tokens are looked up again every few seconds, which on a slow machine may be within any test.
const notCounted = /^\s*(?:begin|commit)\b|(?:from|update) access_tokens\b/i

/** The statements of an action, without those that check its token. */
async function statementsOf(action: () => Promise<unknown>): Promise<string[]> {
  return (await app.statementsOf(action)).filter((statement) => !notCounted.test(statement))
}

/** The response to a request, and the statements that it caused. */
async function answerOf(source: string, variables = {}): Promise<{ answer: Answer; statements: string[] }> {
  const answers: Answer[] = []
  const statements = await statementsOf(async () => {
    answers.push(await app.graphql(ada.token, source, variables))
  })
  const [answer] = answers
  if (!answer) throw new Error('There was no answer')
  return { answer, statements }
}

const threeLevels = `query ($posts: Int!, $replies: Int!, $more: Int!) {
  homeTimeline(first: $posts) {
    nodes {
      content viewerHasLiked
      author { username viewerIsFollowing badges { name } }
      replies(first: $replies) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { content author { username posts(first: $more) { nodes { content } } } }
      }
    }
  }
}`

const replyOf = (more: number) => ({
  content: expect.stringMatching(/^Reply \d$/),
  author: {
    username: expect.stringMatching(/^author_/),
    posts: { nodes: Array(more).fill({ content: expect.stringMatching(/^Post \d+$/) }) },
  },
})

describe('a deeply nested home timeline takes one statement', () => {
  test.each([
    [1, 1, 1],
    [20, 5, 2],
  ])('%i × %i × %i', async (size, replies, more) => {
    const { answer, statements } = await answerOf(threeLevels, { posts: size, replies, more })
    expect(answer.errors).toEqual([])
    expect(answer.data).toEqual({
      homeTimeline: {
        nodes: Array(size).fill({
          content: expect.stringMatching(/^Post \d+$/),
          viewerHasLiked: false,
          author: { username: expect.stringMatching(/^author_/), viewerIsFollowing: true, badges: [] },
          replies: {
            totalCount: 5,
            pageInfo: { hasNextPage: replies < 5, endCursor: expect.any(String) },
            nodes: Array(replies).fill(replyOf(more)),
          },
        }),
      },
    })
    expect(statements).toHaveLength(1)
  })
})

test.each([
  'reports { nodes { reporter { username } user { username } publication { content } } }',
  'appeals { nodes { user { username } answeredBy { username } } }',
  'pendingAccounts { nodes { reason user { username } } }',
  'allInvitations { nodes { creator { username invitedBy { username } } } }',
  'moderationLog { nodes { actor { username } user { username } } }',
])('a page of moderators takes one statement: %s', async (field) => {
  const mo = await moderator(app)
  const statements = await statementsOf(() => app.graphql(mo.token, `{ ${field} }`))
  expect(statements).toHaveLength(1)
})

test('a reply with its ancestors, its thread and their authors takes one statement', async () => {
  const { answer, statements } = await answerOf(
    `query ($uuid: UUID!) {
      reply(uuid: $uuid) {
        ancestors { uuid author { username } }
        thread(first: 2) { nodes { content author { username } } places { uuid parentUuid } pageInfo { hasNextPage } }
      }
    }`,
    { uuid: await newReply() },
  )
  expect(answer).toMatchObject({
    errors: [],
    data: { reply: { ancestors: [{ uuid: posts[0] }], thread: { nodes: { length: 2 }, places: [] } } },
  })
  expect(statements).toHaveLength(1)
})

test('a page of notifications takes one statement', async () => {
  const fields =
    'unreadNotificationCount notifications { nodes { actors { username } publication { author { username } } } }'
  const statements = await statementsOf(() => app.graphql(ada.token, `{ viewer { ${fields} } }`))
  expect(statements).toHaveLength(1)
})

test('ten publications by UUID with the same selection take one statement', async () => {
  const roots = posts.slice(0, 10).map((uuid, index) => `p${index}: post(uuid: "${uuid}") { uuid author { uuid } }`)
  const { answer, statements } = await answerOf(`{ ${roots.join(' ')} }`)
  const found = posts.slice(0, 10).map((uuid, index) => [`p${index}`, { uuid, author: { uuid: expect.any(String) } }])
  expect(answer).toMatchObject({ errors: [], data: Object.fromEntries(found) })
  expect(statements).toHaveLength(1)
})

test('nodes takes one statement for each type', async () => {
  const application = await app.database.write.prisma.application.create({
    data: { id: '01900000-0000-7000-8000-00000000000a', ownerId: ada.id, name: 'Loom' },
  })
  const tokens = await app.database.write.prisma.accessToken.findMany({ where: { userId: ada.id } })
  await app.token(ada, ['post.get'])
  const more = await app.database.write.prisma.accessToken.findMany({ where: { userId: ada.id } })
  expect(more).toHaveLength(tokens.length + 1)
  const reply = await newReply()
  const ids = [
    ...posts.slice(0, 3).map((id) => globalIdOf('Post', id)),
    globalIdOf('Reply', reply),
    globalIdOf('User', ada.id),
    globalIdOf('Application', application.id),
    ...more.map(({ id }) => globalIdOf('AccessToken', id)),
  ]
  const { answer, statements } = await answerOf(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Publication { content } ... on User { username } } }',
    { ids },
  )
  expect(answer).toMatchObject({ errors: [], data: { nodes: ids.map((id) => ({ id })) } })
  expect(statements).toHaveLength(5)
})

describe('a list of lookups takes one statement', () => {
  const missing = '01900000-0000-7000-8000-000000000000'

  test.each([1, 50])('for %i publications', async (count) => {
    const uuids = [...posts.slice(0, count), missing]
    const { answer, statements } = await answerOf(
      `query ($uuids: [UUID!]!) {
        publications(uuids: $uuids) { uuid author { username } likers(first: 2) { nodes { username followsViewer } } }
      }`,
      { uuids },
    )
    const found = posts.slice(0, count).map((uuid) => ({ uuid, author: expect.any(Object), likers: { nodes: [] } }))
    expect(answer).toMatchObject({ errors: [], data: { publications: [...found, null] } })
    expect(statements).toHaveLength(1)
  })
})

test('what publications name takes one statement', async () => {
  const uuid = await publish(app, ada, { content: '@ada #here #There' })
  const { answer, statements } = await answerOf(`{
    post(uuid: "${uuid}") {
      mentions { user { username } } hashtags { hashtag { name publications { nodes { content mentions { start } } } } }
    }
    hashtag(name: "here") { publications { nodes { hashtags { end } } } }
  }`)
  const publications = { nodes: [{ content: '@ada #here #There', mentions: [{ start: 0 }] }] }
  expect(answer.data).toEqual({
    post: {
      mentions: [{ user: { username: 'ada' } }],
      hashtags: ['here', 'there'].map((name) => ({ hashtag: { name, publications } })),
    },
    hashtag: { publications: { nodes: [{ hashtags: [{ end: 10 }, { end: 17 }] }] } },
  })
  expect(statements).toHaveLength(1)
})

describe('a mutation takes one write and one read', () => {
  const selection = '{ uuid author { username } replies(first: 2) { nodes { content author { username } } } }'
  const post = () => posts[1] ?? ''
  const user = async () => (await app.person()).id

  test.each([
    ['sendPost', async () => `sendPost(input: { content: "Hello" }) { publication ${selection} }`],
    [
      'sendPost that names something',
      async () => `sendPost(input: { content: "@ada #here" }) { publication ${selection} }`,
    ],
    ['toggleLike', async () => `toggleLike(input: { uuid: "${post()}" }) { action publication ${selection} }`],
    [
      'toggleReplyLike',
      async () => `toggleReplyLike(input: { uuid: "${await newReply()}" }) { action reply ${selection} }`,
    ],
    ['setLike', async () => `setLike(input: { uuid: "${post()}", liked: true }) { publication ${selection} }`],
    [
      'setBookmark',
      async () => `setBookmark(input: { uuid: "${post()}", bookmarked: true }) { publication ${selection} }`,
    ],
    ['sendReply', async () => `sendReply(input: { parent: "${post()}", content: "Hi" }) { reply ${selection} }`],
    [
      'updatePost',
      async () =>
        `updatePost(input: { uuid: "${await publish(app, ada)}", locked: true }) { publication ${selection} }`,
    ],
    ['toggleFollow', async () => `toggleFollow(input: { uuid: "${await user()}" }) { action user { followerCount } }`],
    ['setFollow', async () => `setFollow(input: { uuid: "${await user()}", followed: true }) { user { bio } }`],
    ['report', async () => `report(input: { uuid: "${await user()}", reason: SPAM }) { report { user { username } } }`],
    ['toggleBlock', async () => `toggleBlock(input: { uuid: "${await user()}" }) { user { posts { totalCount } } }`],
    ['toggleMute', async () => `toggleMute(input: { uuid: "${await user()}" }) { action user { viewerIsMuting } }`],
    [
      'setMute',
      async () =>
        `setMute(input: { uuid: "${await user()}", muted: true, until: "9999-01-01T00:00:00Z" }) { user { bio } }`,
    ],
    ['updateProfile', async () => 'updateProfile(input: { bio: "Weaver" }) { viewer { bio posts { totalCount } } }'],
  ])('%s', async (_name, mutation) => {
    const source = `mutation { ${await mutation()} }`
    const { answer, statements } = await answerOf(source)
    expect(answer.errors).toEqual([])
    expect(statements).toHaveLength(2)
  })
})

test('a like of a reply over REST takes one statement', async () => {
  const reply = await newReply()
  const statements = await statementsOf(() => app.rest(ada.token, 'PUT', `/like/${reply}`))
  expect(statements).toHaveLength(1)
})

describe('a REST read takes one statement', () => {
  test.each([
    ['a post', () => `/post/${posts[0]}`],
    ['its replies', () => `/post/${posts[0]}/replies/1`],
    ['a later page of its thread', () => `/post/${posts[0]}/thread/2?limit=3`],
    [
      'several posts',
      () =>
        `/post?${posts
          .slice(0, 10)
          .map((uuid) => `uuid=${uuid}`)
          .join('&')}`,
    ],
    ['a later page of the replies of a user', () => '/user/@ada/replies/2?limit=1'],
    ['a later page of what the viewer likes', () => '/user/@ada/likes/2?limit=1'],
    ['a later page of what the viewer bookmarks', () => '/user/@ada/bookmarks/2?limit=1'],
    ['a later page of whom the viewer mutes', () => '/user/@ada/mutes/2?limit=1'],
    ['the own profile', () => '/user'],
    ['a user by name', () => '/user/@ADA'],
    ['who follows a user', () => '/user/@ada/followers?page=2'],
  ])('%s', async (_name, path) => {
    let status = 0
    const statements = await statementsOf(async () => {
      status = (await app.rest(ada.token, 'GET', path())).status
    })
    expect(status).toBe(200)
    expect(statements).toHaveLength(1)
  })
})
