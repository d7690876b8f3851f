import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { blocks, bookmarks, follows, likes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { answerRequest, privateAccount, removeFollower, setPrivate } from '../../support/graphql/follow-requests.ts'
import { moderator, report } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { notificationsOf } from '../../support/graphql/notifications.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { idsOf, readPage } from '../../support/graphql/pages.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
// Bob and Cleo follow Ada, Eve follows Bob, and nobody follows or is followed by Dan and Fay.
let ada: Person
let bob: Person
let cleo: Person
let dan: Person
let eve: Person
let fay: Person
let forEverybody: string
let forFollowers: string
let forDan: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  cleo = await app.person('cleo')
  dan = await app.person('dan')
  eve = await app.person('eve')
  fay = await app.person('fay')
  for (const follower of [bob, cleo]) await setRelation(app, follower, follows, ada.id)
  await setRelation(app, eve, follows, bob.id)
  forEverybody = await publish(app, ada, { content: 'Open #lake' })
  forFollowers = await publish(app, ada, { content: 'Quietly #lake @dan @bob', audience: 'FOLLOWERS' })
  forDan = await publish(app, ada, { content: 'Only for @dan #lake', audience: 'ADDRESSED' })
})
afterAll(() => app.close())

const read = async ({ token }: Person, source: string) => {
  const { data, errors } = await app.graphql(token, source)
  expect(errors).toEqual([])
  return data
}
const sees = async (viewer: Person, uuid: string) => {
  const { post } = z.object({ post: z.unknown() }).parse(await read(viewer, `{ post(uuid: "${uuid}") { uuid } }`))
  return post !== null
}

/** Who of them all sees a publication. */
async function seenBy(uuid: string): Promise<string[]> {
  const all = [ada, bob, cleo, dan, eve, fay]
  const seen = await Promise.all(all.map((viewer) => sees(viewer, uuid)))
  return all.filter((_viewer, nth) => seen[nth]).map(({ username }) => username)
}

const sent = z.object({
  sendPost: z.object({
    publication: z.object({
      uuid: z.uuid(),
      audience: z.string(),
      mentions: z.array(z.object({ user: z.object({ username: z.string() }) })),
    }),
  }),
})
async function send(author: Person, content: string, more: object = {}) {
  const selected = 'publication { uuid audience mentions { user { username } } }'
  const answer = await mutate(app, author, 'sendPost', { content, ...more }, selected)
  expect(answer.errors).toEqual([])
  const { uuid, audience, mentions } = sent.parse(answer.data).sendPost.publication
  return { uuid, audience, mentions: mentions.map(({ user }) => user.username) }
}
const refusalOf = async (author: Person, more: object) =>
  (await mutate(app, author, 'sendPost', { content: 'Refused', ...more }, 'publication { uuid }')).errors

const listOf = async (viewer: Person, field: string, owner?: string) =>
  idsOf(
    await readPage(
      app,
      viewer.token,
      { field, ...(owner !== undefined && { owner }), hasGlobalIds: false },
      'first: 100',
    ),
  )
const profileOf = ({ id }: Person) => `user(by: { uuid: "${id}" })`
const postOf = (uuid: string) => `post(uuid: "${uuid}")`

describe('a post is seen', () => {
  test('by everybody, if it is for everybody', async () => {
    expect(await seenBy(forEverybody)).toEqual(['ada', 'bob', 'cleo', 'dan', 'eve', 'fay'])
  })

  test('by its author and their followers, if it is for followers: a mention opens nothing, and stays text', async () => {
    expect(await seenBy(forFollowers)).toEqual(['ada', 'bob', 'cleo'])
    expect(await send(ada, 'Also for @dan and @bob', { audience: 'FOLLOWERS' })).toMatchObject({ mentions: ['bob'] })
  })

  test('by its author and whom it mentions, if it is for addressees', async () => {
    expect(await seenBy(forDan)).toEqual(['ada', 'dan'])
  })

  test('by the same after an edit that mentions others', async () => {
    const { uuid } = await send(ada, 'For @dan', { audience: 'ADDRESSED' })
    await mutate(app, ada, 'updatePost', { uuid, content: 'For @fay' }, 'publication { uuid }')
    expect(await seenBy(uuid)).toEqual(['ada', 'dan'])
    const page = z.object({ post: z.object({ mentions: z.array(z.unknown()) }) })
    expect(page.parse(await read(dan, `{ ${postOf(uuid)} { mentions { start } } }`)).post.mentions).toEqual([])
  })
})

describe('a reply', () => {
  test('to a post for followers is for the same followers, and not for those of the replier', async () => {
    const { uuid, audience } = await send(bob, 'Among us', { parent: forFollowers })
    expect(audience).toBe('FOLLOWERS')
    expect(await seenBy(uuid)).toEqual(['ada', 'bob', 'cleo'])
  })

  test('to a post for addressees is for the same, whomever it mentions', async () => {
    const { uuid, audience, mentions } = await send(dan, 'An answer, and @fay', { parent: forDan })
    expect([audience, mentions]).toEqual(['ADDRESSED', []])
    expect(await seenBy(uuid)).toEqual(['ada', 'dan'])
  })

  test('is refused if it is wider than its parent', async () => {
    for (const [author, parent, audience] of [
      [bob, forFollowers, 'EVERYBODY'],
      [dan, forDan, 'FOLLOWERS'],
    ] as const)
      expect(await refusalOf(author, { parent, audience })).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'audience' }] } },
      ])
  })

  test('to what its author does not see is refused as if that were not there', async () => {
    for (const parent of [forFollowers, forDan])
      expect(await refusalOf(eve, { parent })).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
  })

  test('may be narrower: whom it answers and mentions see it, and nobody counts it', async () => {
    const root = await publish(app, ada)
    const { uuid } = await send(bob, 'Psst @cleo', { parent: root, audience: 'ADDRESSED' })
    expect(await seenBy(uuid)).toEqual(['ada', 'bob', 'cleo'])
    const whole = `{ ${postOf(root)} { replyCount replies { nodes { uuid } } thread { nodes { uuid } places { uuid } } } }`
    const ofRoot = { uuid: root }
    expect(await read(fay, whole)).toEqual({
      post: { replyCount: 0, replies: { nodes: [] }, thread: { nodes: [ofRoot], places: [{ uuid }] } },
    })
    expect(await read(cleo, whole)).toEqual({
      post: { replyCount: 0, replies: { nodes: [{ uuid }] }, thread: { nodes: [ofRoot, { uuid }], places: [] } },
    })
  })

  test('for followers of who replies to everybody is also seen by whom it answers', async () => {
    const { uuid } = await send(bob, 'For mine', { parent: await publish(app, fay), audience: 'FOLLOWERS' })
    expect(await seenBy(uuid)).toEqual(['bob', 'eve', 'fay'])
  })

  test('to a narrower reply can only mention who sees that', async () => {
    const narrow = await send(bob, 'For mine', { parent: forEverybody, audience: 'FOLLOWERS' })
    const { uuid, mentions } = await send(eve, 'And @cleo, @ada', { parent: narrow.uuid, audience: 'ADDRESSED' })
    expect(mentions).toEqual(['ada'])
    expect(await seenBy(uuid)).toEqual(['ada', 'bob', 'eve'])
  })
})

describe('what one does not see is not found by', () => {
  test.each(['setLike', 'setBookmark', 'updatePost', 'deletePost', 'report'])('%s', async (mutation) => {
    const input = {
      ...{ setLike: { liked: true }, setBookmark: { bookmarked: true }, updatePost: { content: 'Mine' } }[mutation],
      ...(mutation === 'report' && { reason: 'SPAM' }),
    }
    for (const uuid of [forFollowers, forDan])
      expect(outcomeOf(await mutate(app, eve, mutation, { uuid, ...input }, '__typename'))).toBe('NOT_FOUND')
  })

  test('REST', async () => {
    const reply = await publish(app, bob, { content: 'A reply', parent: forFollowers })
    const calls = [
      ['GET', `/post/${reply}`],
      ['GET', `/reply/${reply}`],
      ['GET', `/post/${reply}/replies/1`],
      ['GET', `/post/${reply}/thread/1`],
      ['GET', `/post/${reply}/likes/1`],
      ['POST', `/post/${reply}/like`],
      ['PUT', `/like/${reply}`],
      ['DELETE', `/post/${reply}`],
    ] as const
    for (const [method, path] of calls)
      expect([path, (await app.rest(eve.token, method, path)).status]).toEqual([path, 404])
    expect((await app.rest(cleo.token, 'GET', `/post/${reply}`)).status).toBe(200)
  })
})

describe('lists', () => {
  test('of a hashtag, and its count, have what is for everybody', async () => {
    for (const viewer of [ada, bob, dan]) {
      const tag = `{ hashtag(name: "lake") { publicationCount publications { nodes { uuid } } } }`
      expect(await read(viewer, tag)).toEqual({
        hashtag: { publicationCount: 1, publications: { nodes: [{ uuid: forEverybody }] } },
      })
    }
  })

  test('of home have what is for followers, and nothing for addressees', async () => {
    const home = await listOf(bob, 'homeTimeline')
    expect(home).toEqual(expect.arrayContaining([forEverybody, forFollowers]))
    expect(await listOf(ada, 'homeTimeline')).not.toContain(forDan)
    await setRelation(app, dan, follows, ada.id)
    expect(await listOf(dan, 'homeTimeline')).not.toContain(forDan)
    await setRelation(app, dan, follows, ada.id, false)
  })

  test('of everybody have only what is for everybody', async () => {
    const all = await listOf(bob, 'publicTimeline')
    expect(all).toContain(forEverybody)
    for (const uuid of [forFollowers, forDan]) expect(all).not.toContain(uuid)
  })

  test('of a profile have what the viewer sees, and nothing for addressees', async () => {
    expect(await listOf(bob, 'posts', profileOf(ada))).toEqual(expect.arrayContaining([forEverybody, forFollowers]))
    const ofDan = await listOf(dan, 'posts', profileOf(ada))
    expect(ofDan).toContain(forEverybody)
    for (const uuid of [forFollowers, forDan]) expect(ofDan).not.toContain(uuid)
    expect(await listOf(ada, 'posts', profileOf(ada))).not.toContain(forDan)
  })

  test('of what is for addressees have those of the viewer', async () => {
    for (const viewer of [ada, dan]) expect(await listOf(viewer, 'addressed', 'viewer')).toContain(forDan)
    expect(await listOf(fay, 'addressed', 'viewer')).toEqual([])
    expect(await read(dan, `{ ${profileOf(ada)} { addressed { nodes { uuid } } } }`)).toEqual({
      user: { addressed: null },
    })
  })

  test('of notifications have what the viewer sees', async () => {
    const told = (await notificationsOf(app, dan)).map(({ kind, publication }) => [kind, publication?.uuid])
    expect(told).toContainEqual(['MENTION', forDan])
    expect(told).not.toContainEqual(['MENTION', forFollowers])
  })
})

test('the feed has the changes of what the viewer sees, whichever source selects them', async () => {
  const start = await settledCursor(app, ada)
  const uuid = await publish(app, ada, { content: 'Quiet #lake', audience: 'FOLLOWERS' })
  await mutate(app, ada, 'updatePost', { uuid, content: 'Quieter #lake' }, 'publication { uuid }')
  await setRelation(app, bob, likes, uuid)
  const reply = await publish(app, bob, { content: 'A reply #lake', parent: uuid })
  await mutate(app, bob, 'deletePost', { uuid: reply }, 'publication { uuid }')
  const named = { publications: [uuid, reply], repliesTo: [uuid], threads: [uuid], users: [ada.id, bob.id] }
  const of = { ...named, hashtags: ['lake'], home: true, public: true, notifications: true }
  const kinds = ['PUBLISHED', 'EDITED', 'LIKED', 'PUBLISHED', 'DELETED']
  expect((await changesAfter(app, cleo, of, start)).map(({ kind }) => kind)).toEqual(kinds)
  expect(await changesAfter(app, fay, of, start)).toEqual([])
  expect(await changesAfter(app, cleo, { public: true }, start)).toEqual([])
})

test('a follower who ends it loses what is for followers', async () => {
  const [author, follower] = [await app.person(), await app.person()]
  await setRelation(app, follower, follows, author.id)
  const uuid = await publish(app, author, { content: 'For followers', audience: 'FOLLOWERS' })
  const reply = await publish(app, author, { content: 'More', parent: uuid })
  await setRelation(app, follower, likes, uuid)
  await setRelation(app, follower, bookmarks, reply)
  expect(await sees(follower, reply)).toBe(true)
  await setRelation(app, follower, follows, author.id, false)
  for (const it of [uuid, reply]) expect(await sees(follower, it)).toBe(false)
  for (const field of ['likes', 'bookmarks']) expect(await listOf(follower, field, 'viewer')).toEqual([])
})

describe('while an account is private', () => {
  const follow = (who: Person, whom: Person) => setRelation(app, who, follows, whom.id)

  test('its followers see what it published for everybody before, and nobody else, who finds its lists empty', async () => {
    const [author, follower] = [await app.person(), await app.person()]
    await follow(follower, author)
    const before = await publish(app, author)
    await setPrivate(app, author)
    await follow(fay, author)
    expect([await sees(follower, before), await sees(fay, before)]).toEqual([true, false])
    const { pageInfo, nodes } = await readPage(app, fay.token, { owner: profileOf(author), field: 'posts' }, 'first: 1')
    expect([nodes, pageInfo.hasNextPage]).toEqual([[], false])
    expect(await listOf(fay, 'followers', profileOf(author))).toEqual([])
    expect(await listOf(follower, 'posts', profileOf(author))).toEqual([before])
  })

  test('what it publishes is for its followers, and stays so when the account opens, unlike what is older', async () => {
    const author = await app.person()
    const before = await publish(app, author)
    await setPrivate(app, author)
    await follow(fay, author)
    const { uuid, audience } = await send(author, 'Among us')
    expect(audience).toBe('FOLLOWERS')
    await setPrivate(app, author, false)
    expect([await sees(fay, uuid), await sees(dan, uuid), await sees(dan, before)]).toEqual([true, false, true])
  })

  test('its replies to everybody are for its followers and whom they answer', async () => {
    const [author, follower] = [await app.person(), await app.person()]
    await follow(follower, author)
    await setPrivate(app, author)
    const { uuid, audience } = await send(author, 'A reply', { parent: forEverybody })
    expect(audience).toBe('FOLLOWERS')
    expect([await sees(follower, uuid), await sees(ada, uuid), await sees(eve, uuid)]).toEqual([true, true, false])
  })

  test('whom it accepts as a follower sees all, until it removes them', async () => {
    const author = await privateAccount(app)
    const { uuid } = await send(author, 'Among us')
    await follow(dan, author)
    await answerRequest(app, author, dan)
    expect(await sees(dan, uuid)).toBe(true)
    await removeFollower(app, author, dan)
    expect(await sees(dan, uuid)).toBe(false)
  })
})

test('nobody is told of what is no longer for them', async () => {
  const [author, follower] = [await app.person(), await app.person()]
  await setRelation(app, follower, follows, author.id)
  const start = await settledCursor(app, follower)
  const uuid = await publish(app, author, { content: `For @${follower.username}`, audience: 'FOLLOWERS' })
  const told = async () => [
    (await notificationsOf(app, follower)).map(({ publication }) => publication?.uuid),
    (await changesAfter(app, follower, { notifications: true }, start)).map((change) => change.uuid),
  ]
  expect(await told()).toEqual([[uuid], [uuid]])
  await setRelation(app, follower, follows, author.id, false)
  expect(await told()).toEqual([[], []])
})

test('a block hides from addressees, too', async () => {
  const [author, addressee] = [await app.person(), await app.person()]
  const { uuid } = await send(author, `For @${addressee.username}`, { audience: 'ADDRESSED' })
  expect(await sees(addressee, uuid)).toBe(true)
  await setRelation(app, author, blocks, addressee.id)
  expect(await sees(addressee, uuid)).toBe(false)
  expect(await listOf(addressee, 'addressed', 'viewer')).toEqual([])
})

test('moderators find by its uuid what a report names, and in no list', async () => {
  const mo = await moderator(app)
  expect(await read(mo, `{ ${postOf(forDan)} { content } }`)).toEqual({ post: { content: 'Only for @dan #lake' } })
  expect(outcomeOf(await report(app, dan, forDan))).toBe('DONE')
  const reports = '{ reports(first: 1) { nodes { content publication { uuid } } } }'
  expect(await read(mo, reports)).toEqual({
    reports: { nodes: [{ content: 'Only for @dan #lake', publication: { uuid: forDan } }] },
  })
  for (const [field, owner] of [['publicTimeline'], ['posts', profileOf(ada)], ['addressed', 'viewer']] as const)
    for (const uuid of [forDan, forFollowers]) expect(await listOf(mo, field, owner)).not.toContain(uuid)
})

test('a post that is sent again has the same audience, or none, and otherwise conflicts', async () => {
  const again = (more: object) =>
    mutate(app, ada, 'sendPost', { uuid: forFollowers, content: 'Quietly #lake @dan @bob', ...more }, '__typename')
  const others = ['EVERYBODY', 'ADDRESSED'] satisfies Audience[]
  expect(outcomeOf(await again({}))).toBe('DONE')
  expect(outcomeOf(await again({ audience: 'FOLLOWERS' }))).toBe('DONE')
  for (const audience of others) expect(outcomeOf(await again({ audience }))).toBe('CONFLICT')
})

test('node finds what the viewer sees', async () => {
  const source = `{ nodes(ids: ["${globalIdOf('Post', forFollowers)}", "${globalIdOf('Post', forDan)}"]) { id } }`
  const found = (...uuids: readonly (string | null)[]) => ({
    nodes: uuids.map((uuid) => uuid && { id: globalIdOf('Post', uuid) }),
  })
  expect(await read(bob, source)).toEqual(found(forFollowers, null))
  expect(await read(dan, source)).toEqual(found(null, forDan))
  expect(await read(fay, source)).toEqual(found(null, null))
})

type Audience = 'EVERYBODY' | 'FOLLOWERS' | 'ADDRESSED'
