import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { wrongNotifications } from '../../support/graphql/notifications.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let circle: Person[]
beforeAll(async () => {
  app = await startApp()
  circle = await Promise.all(['ada', 'bo', 'cy', 'di', 'ed'].map((name) => app.person(name)))
})
afterAll(() => app.close())

/** Actions of anybody on a publication, of its author, and of anybody on another user. */
const acts = {
  anybody: [
    (uuid: string) => `toggleLike(input: { uuid: "${uuid}" }) { action }`,
    (uuid: string) => `setLike(input: { uuid: "${uuid}", liked: true }) { action }`,
    (uuid: string) => `setLike(input: { uuid: "${uuid}", liked: false }) { action }`,
    (uuid: string) => `sendPost(input: { parent: "${uuid}", content: "Yes" }) { publication { uuid } }`,
    (uuid: string) => `sendPost(input: { parent: "${uuid}", content: "#one #two @ada @bo" }) { publication { uuid } }`,
    (uuid: string) => `toggleRepost(input: { uuid: "${uuid}" }) { action }`,
    (uuid: string) => `setRepost(input: { uuid: "${uuid}", reposted: true }) { action }`,
    (uuid: string) => `sendPost(input: { quote: "${uuid}", content: "See #two @bo" }) { publication { uuid } }`,
    (uuid: string, other: string) =>
      `sendPost(input: { parent: "${uuid}", quote: "${other}", content: "See" }) { publication { uuid } }`,
    () => 'markNotificationsRead(input: { upTo: "_____________________w" }) { viewer { uuid } }',
  ],
  author: [
    (uuid: string) => `updatePost(input: { uuid: "${uuid}", content: "#two #three @bo @cy" }) { publication { uuid } }`,
    (uuid: string) => `updatePost(input: { uuid: "${uuid}", content: "#three #one" }) { publication { uuid } }`,
    (uuid: string) => `updatePost(input: { uuid: "${uuid}", locked: true }) { publication { uuid } }`,
    (uuid: string) => `updatePost(input: { uuid: "${uuid}", locked: false, quotable: true }) { publication { uuid } }`,
    (uuid: string) => `updatePost(input: { uuid: "${uuid}", quotable: false }) { publication { uuid } }`,
    (uuid: string) => `deletePost(input: { uuid: "${uuid}" }) { publication { uuid } }`,
  ],
  follower: [
    (uuid: string) => `toggleFollow(input: { uuid: "${uuid}" }) { action }`,
    (uuid: string) => `setFollow(input: { uuid: "${uuid}", followed: true }) { action }`,
    (uuid: string) => `setFollow(input: { uuid: "${uuid}", followed: false }) { action }`,
    (uuid: string) => `toggleBlock(input: { uuid: "${uuid}" }) { action }`,
    (uuid: string) => `setBlock(input: { uuid: "${uuid}", blocked: false }) { action }`,
  ],
} as const

const step = fc
  .constantFrom('anybody', 'anybody', 'anybody', 'author', 'follower')
  .chain((who) =>
    fc.record({ who: fc.constant(who), act: fc.constantFrom(...acts[who]), actor: fc.nat(4), target: fc.nat(1000) }),
  )
const history = fc.array(fc.array(step, { minLength: 4, maxLength: 32 }), { minLength: 2, maxLength: 6 })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The publications of a history so far. */
type Published = readonly { readonly id: string; readonly authorId: string | null }[]

const expectedOutcomes = new Set([
  ...['LIKED', 'UNLIKED', 'REPOSTED', 'UNREPOSTED', 'FOLLOWED', 'UNFOLLOWED', 'BLOCKED', 'UNBLOCKED'],
  ...['DONE', 'NOT_FOUND', 'FORBIDDEN', 'POST_LOCKED'],
])

const pick = <T>(from: readonly T[], index: number): T => {
  const picked = from[index % from.length]
  if (picked === undefined) throw new RangeError('There is nothing to pick from')
  return picked
}

function take({ who, act, actor, target }: Step, published: Published): Promise<Answer> {
  const viewer = pick(circle, actor)
  const publication = pick(published, target)
  const others = circle.filter((it) => it !== viewer)
  const author = circle.find(({ id }) => id === publication.authorId)
  const object = who === 'follower' ? pick(others, target).id : publication.id
  const { token } = who === 'author' && author ? author : viewer
  return app.graphql(token, `mutation { ${act(object, pick(published, target + actor).id)} }`)
}

async function answersTo(published: Published): Promise<Published> {
  const ids = published.map(({ id }) => id)
  return app.database.write.prisma.publication.findMany({
    where: { OR: [{ parentId: { in: ids } }, { quotedId: { in: ids } }], id: { notIn: ids } },
    select: { id: true, authorId: true },
    orderBy: { id: 'asc' },
  })
}

test('random concurrent operations never deadlock, and counters and notifications are exact afterwards', async () => {
  const before = await deadlocks(app.database)
  const seen = new Set<string>()
  const property = fc.asyncProperty(history, async (batches) => {
    let published: Published = await Promise.all(
      circle.slice(0, 2).map(async (author) => ({ id: await publish(app, author), authorId: author.id })),
    )
    for (const batch of batches) {
      const answers = await Promise.all(batch.map((each) => take(each, published)))
      for (const outcome of answers.map(outcomeOf)) {
        expect(expectedOutcomes).toContain(outcome)
        seen.add(outcome)
      }
      published = [...published, ...(await answersTo(published))]
    }
    expect(await wrongCounters(app.database)).toEqual([])
    expect(await wrongNotifications(app.database)).toEqual([])
  })
  // Concurrency differs between runs, so a failure is shown as it was, without shrinking.
  await fc.assert(property, { seed: 2, numRuns: 25, endOnFailure: true })
  expect(seen).toEqual(expectedOutcomes)
  expect(await deadlocks(app.database)).toEqual(before)
})
