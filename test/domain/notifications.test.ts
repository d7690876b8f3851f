import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteAccount } from '../../src/domain/account-deletion.ts'
import { blocks, follows, likes, mutes } from '../../src/domain/edges.ts'
import { setSuspended } from '../../src/domain/moderation.ts'
import { removeOldNotifications, takeBackAfterBlocks } from '../../src/domain/notifications.ts'
import { staleness } from '../../src/domain/sessions.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { setEdge } from '../support/edges.ts'
import { moderator } from '../support/moderation.ts'
import { mutate } from '../support/mutate.ts'
import { inShort, notificationsOf, pageOfNotifications, readAll } from '../support/notifications.ts'
import { publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
let cyd: Person
let post: string
let round = 0

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  round += 1
  ada = await app.person(`ada_${round}`)
  bob = await app.person(`bob_${round}`)
  cyd = await app.person(`cyd_${round}`)
  post = await publish(app, ada)
})

const all = () => inShort(app, ada)
const like = (person: Person, wanted = true, uuid = post) => setEdge(app, person, likes, uuid, wanted)
const follow = (person: Person, wanted = true) => setEdge(app, person, follows, ada.id, wanted)
const reply = (person: Person) => publish(app, person, { parent: post, content: 'Yes' })
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')
const stored = () => app.database.write.prisma.notification.count({ where: { userId: ada.id } })
const events = (where: object) => app.database.write.prisma.notificationEvent.count({ where })

describe('likes of a publication, and new followers,', () => {
  test('are one notification until it is read', async () => {
    await like(bob)
    await follow(bob)
    const [, first] = await notificationsOf(app, ada)
    await like(cyd)
    expect(await all()).toEqual(['new LIKE 2 cyd bob', 'new FOLLOW 1 bob'])
    const [joined] = await notificationsOf(app, ada)
    expect(joined).toMatchObject({ id: first?.id, publication: { uuid: post } })
    expect(joined?.cursor).not.toBe(first?.cursor)

    expect(await readAll(app, ada)).toBe(0)
    await like(await app.person(`dan_${round}`))
    expect(await all()).toEqual(['new LIKE 1 dan', 'LIKE 2 cyd bob', 'FOLLOW 1 bob'])
  })

  test('show the latest 5 of those who did it', async () => {
    for (const name of ['eve', 'fay', 'gus', 'hal', 'ivy', 'jon']) await like(await app.person(`${name}_${round}`))
    expect(await all()).toEqual(['new LIKE 6 jon ivy hal gus fay'])
  })

  test('are taken back exactly, with the time of the latest that is left', async () => {
    await like(bob)
    const [before] = await notificationsOf(app, ada)
    await like(cyd)
    await like(cyd, false)
    expect(await notificationsOf(app, ada)).toEqual([before])
    await like(bob, false)
    expect(await all()).toEqual([])
  })

  test('notify once, also when they are taken back and made again', async () => {
    await like(bob)
    await follow(cyd)
    await readAll(app, ada)
    for (const wanted of [false, true]) {
      await like(bob, wanted)
      await follow(cyd, wanted)
    }
    expect(await all()).toEqual(['FOLLOW 1 cyd', 'LIKE 1 bob'])
  })

  test('have the time of the one that was made again, if no other is left', async () => {
    await like(bob)
    const [before] = await notificationsOf(app, ada)
    await like(cyd)
    await like(bob, false)
    await like(cyd, false)
    await like(bob)
    expect(await notificationsOf(app, ada)).toEqual([before])
  })

  test('stay unread if one joined after what was read', async () => {
    await like(bob)
    const [seen] = await notificationsOf(app, ada)
    await like(cyd)
    expect(await readAll(app, ada, seen?.cursor)).toBe(1)
    expect(await all()).toEqual(['new LIKE 2 cyd bob'])
  })
})

test('replies are single', async () => {
  await reply(bob)
  const uuid = await reply(bob)
  expect(await all()).toEqual(['new REPLY 1 bob', 'new REPLY 1 bob'])
  expect(await notificationsOf(app, ada)).toMatchObject([{ publication: { uuid } }, {}])
  await remove(bob, uuid)
  expect(await all()).toEqual(['new REPLY 1 bob'])
})

describe('a mention', () => {
  const edit = (uuid: string, content: string) =>
    mutate(app, bob, 'updatePost', { uuid, content }, 'publication { uuid }')

  test('is single, however often it is in the text, also if an edit moves it', async () => {
    const uuid = await publish(app, bob, { content: `@${ada.username} and @${ada.username}` })
    const [before] = await notificationsOf(app, ada)
    expect(before).toMatchObject({ kind: 'MENTION', count: 1, publication: { uuid } })
    await edit(uuid, `So, @${ada.username}`)
    expect(await notificationsOf(app, ada)).toEqual([before])
  })

  test('is taken back by the edit that removes it, and returns with the edit that adds it again', async () => {
    const uuid = await publish(app, bob, { content: 'Hello' })
    await edit(uuid, `@${ada.username}`)
    expect(await all()).toEqual(['new MENTION 1 bob'])
    await readAll(app, ada)
    await edit(uuid, 'Hello')
    expect(await all()).toEqual([])
    await edit(uuid, `@${ada.username}`)
    expect(await all()).toEqual(['MENTION 1 bob'])
    await remove(bob, uuid)
    expect(await all()).toEqual([])
  })

  test('in a reply to who is mentioned is the reply, also without the mention', async () => {
    const uuid = await publish(app, bob, { parent: post, content: `@${ada.username} yes, @${cyd.username}` })
    expect(await all()).toEqual(['new REPLY 1 bob'])
    expect(await inShort(app, cyd)).toEqual(['new MENTION 1 bob'])
    await edit(uuid, 'Yes')
    expect(await all()).toEqual(['new REPLY 1 bob'])
    expect(await inShort(app, cyd)).toEqual([])
  })

  test('of whom one mutes or blocks notifies nobody', async () => {
    await setEdge(app, ada, mutes, bob.id)
    await setEdge(app, cyd, blocks, bob.id)
    await publish(app, bob, { content: `@${ada.username} @${cyd.username} @${bob.username}` })
    for (const person of [ada, bob, cyd]) expect(await notificationsOf(app, person)).toEqual([])
  })
})

test('nobody is notified of themselves', async () => {
  await like(ada)
  await reply(ada)
  expect(await all()).toEqual([])
})

test('nobody is notified of whom they mute, while they do', async () => {
  await setEdge(app, ada, mutes, bob.id)
  for (const act of [like, follow, reply]) await act(bob)
  expect(await all()).toEqual([])
  await setEdge(app, ada, mutes, bob.id, false)
  await reply(bob)
  expect(await all()).toEqual(['new REPLY 1 bob'])
})

test.each(['ada', 'bob'])('a block by %s takes back what both were notified of, for good', async (blocker) => {
  const theirs = await publish(app, bob)
  for (const person of [bob, cyd]) for (const act of [like, follow, reply]) await act(person)
  await like(ada, true, theirs)
  const [from, to] = blocker === 'ada' ? [ada, bob] : [bob, ada]
  await setEdge(app, from, blocks, to.id)
  expect(await all()).toEqual(['new REPLY 1 cyd', 'new FOLLOW 1 cyd', 'new LIKE 1 cyd'])
  expect(await inShort(app, bob)).toEqual([])
  await setEdge(app, from, blocks, to.id, false)
  expect(await all()).toHaveLength(3)
})

test('a suspension takes back what the account did', async () => {
  for (const act of [like, follow, reply]) await act(bob)
  await like(cyd)
  await setSuspended(app.database, 'operator', { uuid: bob.id, reason: 'Spam' }, true)
  expect(await all()).toEqual(['new LIKE 1 cyd'])
})

test('a block and a suspension take back more than one transaction does', async () => {
  const actor = await app.person()
  const { prisma } = app.database.write
  const send = async () => {
    // Several statements, because each has a time limit.
    for (let count = 0; count < 1_200; count += 200)
      await prisma.$executeRaw`
        insert into publications (id, parent_id, author_id, content)
        select gen_random_uuid(), ${post}::uuid, ${actor.id}::uuid, 'Spam' from generate_series(1, 200)`
  }
  await send()
  await setEdge(app, ada, blocks, actor.id)
  expect(await events({ actorId: actor.id, undone: false })).toBe(200)
  await takeBackAfterBlocks(app.database)
  expect(await events({ actorId: actor.id, undone: false })).toBe(0)
  await setEdge(app, ada, blocks, actor.id, false)
  await send()
  expect((await pageOfNotifications(app, ada)).unread).toBe(1_200)
  await readAll(app, ada, (await pageOfNotifications(app, ada)).nodes[0]?.cursor)
  expect((await pageOfNotifications(app, ada)).unread).toBe(0)
  await setSuspended(app.database, 'operator', { uuid: actor.id, reason: 'Spam' }, true)
  expect(await all()).toEqual([])
})

test('the deletion of a publication takes back what it was about', async () => {
  const answer = await reply(bob)
  await like(ada, true, answer)
  await like(bob)
  await remove(ada, post)
  expect(await all()).toEqual(['new REPLY 1 bob'])
  await remove(bob, answer)
  expect(await all()).toEqual([])
  expect(await inShort(app, bob)).toEqual([])
})

test('the author learns that moderators removed a publication, and why, but not who did', async () => {
  const judge = await moderator(app)
  await like(bob)
  await mutate(app, judge, 'removePublication', { uuid: post, reason: 'Advertising' }, 'publication { uuid }')
  expect(await all()).toEqual(['new REMOVED 1'])
  expect(await notificationsOf(app, ada)).toMatchObject([{ publication: null, reason: 'Advertising', actors: [] }])
  expect(await readAll(app, ada)).toBe(0)
})

test('nothing is left of a deleted account', async () => {
  for (const act of [like, follow, reply]) await act(bob)
  const theirs = await publish(app, bob)
  await like(ada, true, theirs)
  await like(cyd, true, theirs)
  await app.database.write.prisma.user.update({
    where: { id: bob.id },
    data: { suspendedAt: new Date(Date.now() - staleness) },
  })
  await deleteAccount(app.database, bob.id)
  expect(await all()).toEqual([])
  expect(await events({ OR: [{ actorId: bob.id }, { userId: bob.id }] })).toBe(0)
})

test('pages continue after a cursor, and kinds select', async () => {
  for (const person of [bob, cyd]) for (const act of [like, follow, reply]) await act(person)
  const found: string[] = []
  for (let after: string | null = null, isMore = true; isMore; ) {
    const { nodes, pageInfo } = await pageOfNotifications(app, ada, { first: 1, after })
    found.push(...nodes.map(({ kind }) => kind))
    after = pageInfo.endCursor
    isMore = pageInfo.hasNextPage
  }
  expect(found).toEqual(['REPLY', 'FOLLOW', 'LIKE', 'REPLY'])
  const { nodes, unread } = await pageOfNotifications(app, ada, { kinds: ['LIKE', 'FOLLOW'] })
  expect(nodes.map(({ kind }) => kind)).toEqual(['FOLLOW', 'LIKE'])
  expect(unread).toBe(4)
  expect((await pageOfNotifications(app, ada, { kinds: [] })).nodes).toEqual([])
  expect((await pageOfNotifications(app, ada, { kinds: ['LIKE', 'FOLLOW', 'LIKE'] })).nodes).toEqual(nodes)
})

test('others see neither notifications nor their number', async () => {
  await like(bob)
  const query = `{ user(by: { uuid: "${ada.id}" }) { unreadNotificationCount notifications { nodes { id } } } }`
  expect((await app.graphql(bob.token, query)).data).toEqual({
    user: { unreadNotificationCount: null, notifications: null },
  })
})

test('reading is idempotent and refuses what is no cursor', async () => {
  await like(bob)
  const [older] = await notificationsOf(app, ada)
  await reply(cyd)
  await readAll(app, ada)
  expect(await readAll(app, ada, older?.cursor)).toBe(0)
  expect(await all()).toEqual(['REPLY 1 cyd', 'LIKE 1 bob'])
  const refused = await mutate(app, ada, 'markNotificationsRead', { upTo: 'now' }, 'viewer { uuid }')
  expect(refused.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'upTo' }] } }])
})

test('those that nothing joined for long are removed with their events', async () => {
  await like(bob)
  await removeOldNotifications(app.database, 1)
  expect(await stored()).toBe(1)
  await removeOldNotifications(app.database, -1)
  expect([await stored(), await events({ userId: ada.id })]).toEqual([0, 0])
})
