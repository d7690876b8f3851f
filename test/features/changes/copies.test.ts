import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { type Change, changesAfter, pageOfChanges, settledCursor } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'

let app: TestApp
let reader: Person
beforeAll(async () => {
  app = await startApp()
  reader = await app.person('reader')
})
afterAll(() => app.close())

/** Who follows or likes whom or what, as `follower user` and `liker publication`. Kept by the changes alone. */
class Copy {
  readonly follows = new Set<string>()
  readonly likes = new Set<string>()

  apply({ kind, actorUuid, uuid }: Change): void {
    const pair = `${actorUuid} ${uuid}`
    if (kind === 'FOLLOWED') this.follows.add(pair)
    if (kind === 'UNFOLLOWED') this.follows.delete(pair)
    if (kind === 'LIKED') this.likes.add(pair)
    if (kind === 'UNLIKED') this.likes.delete(pair)
    if (kind === 'DELETED') for (const like of this.likes) if (like.endsWith(uuid)) this.likes.delete(like)
  }
}

/** The same, and the counters, as the database has them now. */
async function stored(of: readonly Person[], publications: readonly string[]) {
  const { prisma } = app.database.write
  const [users, ids] = [{ in: of.map(({ id }) => id) }, { in: [...publications] }]
  const follows = await prisma.follow.findMany({ where: { followeeId: users } })
  const likes = await prisma.like.findMany({ where: { publicationId: ids } })
  const accounts = await prisma.user.findMany({ where: { id: users } })
  const live = await prisma.livePublication.findMany({ where: { id: ids } })
  return {
    follows: new Set(follows.map(({ followerId, followeeId }) => `${followerId} ${followeeId}`)),
    likes: new Set(likes.map(({ userId, publicationId }) => `${userId} ${publicationId}`)),
    followers: new Map(accounts.map(({ id, followerCount }) => [id, followerCount])),
    following: new Map(accounts.map(({ id, followingCount }) => [id, followingCount])),
    likers: new Map(live.map(({ id, likeCount }) => [id, likeCount])),
  }
}

const count = (pairs: Iterable<string>, matches: (pair: string) => boolean) => [...pairs].filter(matches).length

test('a copy that is kept by the feed alone is right while accounts are deleted', async () => {
  const [members, leavers] = [await people(app, 4), await people(app, 3)]
  const everybody = [...members, ...leavers]
  const publications = await Promise.all(everybody.map((author) => publish(app, author)))
  const of = { users: everybody.map(({ id }) => id), publications }
  const copy = new Copy()
  let after = await settledCursor(app, reader)
  let isWriting = true
  const write = async (person: Person, nth: number) => {
    for (let round = 0; isWriting; round += 1) {
      const { id: other } = everybody[(nth + 1 + (round % 6)) % 7] ?? person
      await mutate(app, person, 'toggleFollow', { uuid: other }, 'action')
      await mutate(app, person, 'toggleLike', { uuid: publications[(nth * round) % 7] }, 'action')
    }
  }
  const writing = Promise.all(everybody.map(write))
  const reading = (async () => {
    while (isWriting) {
      const { nodes, pageInfo } = await pageOfChanges(app, reader, { of, after })
      for (const change of nodes) copy.apply(change)
      after = pageInfo.endCursor
    }
  })()
  const ids = leavers.map(({ id }) => id)
  // Otherwise the deletion would wait until other processes notice the suspension.
  await app.database.write.prisma.user.updateMany({ where: { id: { in: ids } }, data: { suspendedAt: new Date(0) } })
  letTimePass()
  for (const id of ids) await deleteAccount(app.database, id)
  isWriting = false
  await Promise.all([writing, reading])
  for (const change of await changesAfter(app, reader, of, after)) copy.apply(change)

  const { follows, likes, followers, following, likers } = await stored(everybody, publications)
  expect(copy).toEqual({ follows, likes })
  expect(followers.size).toBe(members.length)
  expect(likes.size + follows.size).toBeGreaterThan(0)
  for (const { id } of members) {
    expect(followers.get(id)).toBe(count(copy.follows, (pair) => pair.endsWith(id)))
    expect(following.get(id)).toBe(count(copy.follows, (pair) => pair.startsWith(id)))
  }
  for (const [id, likeCount] of likers) expect(likeCount).toBe(count(copy.likes, (pair) => pair.endsWith(id)))
})
