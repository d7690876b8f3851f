import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { staleness } from '../../../src/engine/auth/viewers.ts'
import { blocks, follows, likes, mutes } from '../../../src/features/base/relations.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { inShort, notificationsOf, pageOfNotifications, readAll } from '../../support/graphql/notifications.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

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
const like = (person: Person, wanted = true, uuid = post) => setRelation(app, person, likes, uuid, wanted)
const follow = (person: Person, wanted = true) => setRelation(app, person, follows, ada.id, wanted)
const reply = (person: Person) => publish(app, person, { parent: post, content: 'Yes' })
const remove = (person: Person, uuid: string) => mutate(app, person, 'deletePost', { uuid }, 'publication { uuid }')

describe('likes of a publication, and new followers,', () => {
  test('are one notification until it is read', async () => {
    await like(bob)
    await follow(bob)
    const [, first] = await notificationsOf(app, ada)
    await like(cyd)
    expect(await all()).toEqual(['new LIKE 2 cyd bob', 'new FOLLOW 1 bob'])
    const [joined] = await notificationsOf(app, ada)
    expect(joined).toMatchObject({ publication: { uuid: post } })
    expect(joined?.cursor).not.toBe(first?.cursor)

    expect(await readAll(app, ada)).toBe(0)
    await like(await app.person(`dan_${round}`))
    expect(await all()).toEqual(['new LIKE 1 dan', 'LIKE 2 cyd bob', 'FOLLOW 1 bob'])
  })

  test('show the latest 5 of those who did it', async () => {
    for (const name of ['eve', 'fay', 'gus', 'hal', 'ivy', 'jon']) await like(await app.person(`${name}_${round}`))
    expect(await all()).toEqual(['new LIKE 6 jon ivy hal gus fay'])
  })

  test('are taken back exactly, also by who likes what is their own', async () => {
    await like(bob)
    await like(ada)
    const [before] = await notificationsOf(app, ada)
    await like(cyd)
    for (const person of [cyd, ada]) await like(person, false)
    expect(await notificationsOf(app, ada)).toEqual([before])
    await like(bob, false)
    expect(await all()).toEqual([])
  })

  test('notify again when they are made again', async () => {
    await like(bob)
    await readAll(app, ada)
    for (const wanted of [false, true]) await like(bob, wanted)
    expect(await all()).toEqual(['new LIKE 1 bob'])
  })

  test('stay unread if one joined after what was read', async () => {
    await like(bob)
    const [seen] = await notificationsOf(app, ada)
    await like(cyd)
    expect(await readAll(app, ada, seen?.cursor)).toBe(1)
    expect(await all()).toEqual(['new LIKE 1 cyd', 'LIKE 1 bob'])
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

  test('is taken back by the edit that removes it, and notifies again with the edit that adds it again', async () => {
    const uuid = await publish(app, bob, { content: 'Hello' })
    await edit(uuid, `@${ada.username}`)
    expect(await all()).toEqual(['new MENTION 1 bob'])
    await readAll(app, ada)
    await edit(uuid, 'Hello')
    expect(await all()).toEqual([])
    await edit(uuid, `@${ada.username}`)
    expect(await all()).toEqual(['new MENTION 1 bob'])
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
    await setRelation(app, ada, mutes, bob.id)
    await setRelation(app, cyd, blocks, bob.id)
    await publish(app, bob, { content: `@${ada.username} @${cyd.username} @${bob.username}` })
    for (const person of [ada, bob, cyd]) expect(await notificationsOf(app, person)).toEqual([])
  })
})

test('nobody is notified of themselves', async () => {
  await like(ada)
  await reply(ada)
  expect(await all()).toEqual([])
})

test('who mutes somebody sees nothing of what they do, also before, while they do', async () => {
  await like(bob)
  await setRelation(app, ada, mutes, bob.id)
  await reply(bob)
  expect(await all()).toEqual([])
  await setRelation(app, ada, mutes, bob.id, false)
  expect(await all()).toEqual(['new REPLY 1 bob', 'new LIKE 1 bob'])
})

test.each(['ada', 'bob'])('a block by %s takes back what both were notified of', async (blocker) => {
  const theirs = await publish(app, bob)
  for (const person of [bob, cyd]) for (const act of [like, follow, reply]) await act(person)
  await like(ada, true, theirs)
  const [from, to] = blocker === 'ada' ? [ada, bob] : [bob, ada]
  await setRelation(app, from, blocks, to.id)
  expect(await all()).toEqual(['new REPLY 1 cyd', 'new FOLLOW 1 cyd', 'new LIKE 1 cyd'])
  expect(await inShort(app, bob)).toEqual([])
  await setRelation(app, from, blocks, to.id, false)
  expect(await all()).toEqual(['new REPLY 1 cyd', 'new FOLLOW 1 cyd', 'new LIKE 2 cyd bob', 'new REPLY 1 bob'])
})

test('what a suspended account did is not shown until it is reinstated', async () => {
  for (const act of [like, follow, reply]) await act(bob)
  await like(cyd)
  await setSuspended(app.database, 'operator', { uuid: bob.id, reason: 'Spam' }, true)
  expect(await all()).toEqual(['new LIKE 1 cyd'])
  await setSuspended(app.database, 'operator', { uuid: bob.id }, false)
  expect(await all()).toEqual(['new LIKE 2 cyd bob', 'new REPLY 1 bob', 'new FOLLOW 1 bob'])
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

test('the author learns that moderators gave a publication a warning, until it is deleted', async () => {
  const judge = await moderator(app)
  const warned = { uuid: post, warning: 'Spoilers', reason: 'Ask first' }
  expect(outcomeOf(await mutate(app, judge, 'addWarning', warned, 'publication { uuid }'))).toBe('DONE')
  expect(await all()).toEqual(['new WARNED 1'])
  const told = { publication: { uuid: post }, reason: 'Ask first', actors: [] }
  expect(await notificationsOf(app, ada)).toMatchObject([told])
  await mutate(app, judge, 'addWarning', { ...warned, reason: 'Again' }, 'publication { uuid }')
  expect(await all()).toEqual(['new WARNED 1'])
  await remove(ada, post)
  expect(await all()).toEqual([])
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
})

test('pages have each event once, in its group on the page, and kinds select', async () => {
  for (const person of [bob, cyd]) for (const act of [like, follow, reply]) await act(person)
  const pagesOf = async (first: number) => {
    const found: string[] = []
    for (let after: string | null = null, isMore = true; isMore; ) {
      const { nodes, pageInfo } = await pageOfNotifications(app, ada, { first, after })
      found.push(nodes.map(({ kind, count }) => `${kind} ${count}`).join())
      after = pageInfo.endCursor
      isMore = pageInfo.hasNextPage
    }
    return found
  }
  expect(await pagesOf(1)).toEqual(['REPLY 1', 'FOLLOW 1', 'LIKE 1', 'REPLY 1', 'FOLLOW 1', 'LIKE 1'])
  expect(await pagesOf(3)).toEqual(['REPLY 1,FOLLOW 1,LIKE 1', 'REPLY 1,FOLLOW 1,LIKE 1'])
  expect(await pagesOf(4)).toEqual(['REPLY 1,FOLLOW 2,LIKE 2,REPLY 1'])
  const { nodes, unread } = await pageOfNotifications(app, ada, { kinds: ['LIKE', 'FOLLOW'] })
  expect(nodes.map(({ kind }) => kind)).toEqual(['FOLLOW', 'LIKE'])
  expect(unread).toBe(4)
  expect((await pageOfNotifications(app, ada, { kinds: [] })).nodes).toEqual([])
  expect((await pageOfNotifications(app, ada, { kinds: ['LIKE', 'FOLLOW', 'LIKE'] })).nodes).toEqual(nodes)
})

test('a page whose newest events are hidden ends early, and goes on where it ended', async () => {
  await like(cyd)
  await app.database.write.prisma.$executeRaw`
    insert into publications (id, parent_id, author_id, content, parent_author_id, notice_key)
    select gen_random_uuid(), ${post}::uuid, ${bob.id}::uuid, 'Spam', ${ada.id}::uuid, notification_key() from generate_series(1, 250)`
  expect((await pageOfNotifications(app, ada)).unread).toBe(100)
  await setRelation(app, ada, mutes, bob.id)
  const first = await pageOfNotifications(app, ada, { first: 20 })
  expect(first).toMatchObject({ unread: 1, nodes: [], pageInfo: { hasNextPage: true } })
  const { nodes } = await pageOfNotifications(app, ada, { first: 20, after: first.pageInfo.endCursor })
  expect(nodes).toMatchObject([{ kind: 'LIKE', count: 1 }])
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

test('the payload of reading has the notifications as they are then', async () => {
  await like(bob)
  await reply(cyd)
  const [newest] = await notificationsOf(app, ada)
  const selected =
    'viewer { unreadNotificationCount notifications(first: 5) { nodes { kind isUnread actors { uuid } } } }'
  const { data } = await mutate(app, ada, 'markNotificationsRead', { upTo: newest?.cursor }, selected)
  const nodes = [
    { kind: 'REPLY', isUnread: false, actors: [{ uuid: cyd.id }] },
    { kind: 'LIKE', isUnread: false, actors: [{ uuid: bob.id }] },
  ]
  expect(data).toEqual({ markNotificationsRead: { viewer: { unreadNotificationCount: 0, notifications: { nodes } } } })
})

test('those that are older than they are kept are not shown', async () => {
  const forgetful = await startApp({ notificationsKept: -1 }, sharing(app))
  await like(bob)
  expect(await all()).toEqual(['new LIKE 1 bob'])
  expect(await inShort(forgetful, ada)).toEqual([])
  await forgetful.close()
})

test('what is still to come cannot be marked as read', async () => {
  await like(bob)
  expect(await readAll(app, ada, '_____________________w')).toBe(0)
  await reply(cyd)
  expect(await all()).toEqual(['new REPLY 1 cyd', 'LIKE 1 bob'])
})
