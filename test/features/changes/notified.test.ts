import { afterAll, beforeAll, expect, test } from 'vitest'
import { follows, likes, mutes } from '../../../src/features/base/relations.ts'
import { scopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { askForChanges, changeCursor, changesAfter, inShort, settledCursor } from '../../support/graphql/changes.ts'
import { moderator } from '../../support/graphql/moderation.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { readAll } from '../../support/graphql/notifications.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let bob: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
  post = await publish(app, ada, { content: 'Nest' })
})
afterAll(() => app.close())

test('each notification is a change that only its recipient sees, and only who asks for notifications', async () => {
  const before = await settledCursor(app, ada)
  await setRelation(app, bob, likes, post)
  await setRelation(app, bob, follows, ada.id)
  await publish(app, bob, { content: 'Sea?', parent: post })
  const judge = await moderator(app, 'mo')
  const removed = await publish(app, ada, { content: 'Spam' })
  await mutate(app, judge, 'removePublication', { uuid: removed, reason: 'Spam' }, 'publication { uuid }')

  const found = await changesAfter(app, ada, { notifications: true }, before)
  expect(inShort(found)).toEqual(['bob NOTIFIED Nest', 'bob NOTIFIED ada', 'bob NOTIFIED Sea?', 'ada NOTIFIED ada'])
  expect(found.at(-1)?.uuid).toBe(removed)
  expect(await changesAfter(app, bob, { notifications: true }, before)).toEqual([])
  const everything = { home: true, public: true, publications: [post], repliesTo: [post], users: [ada.id, bob.id] }
  for (const viewer of [ada, bob, judge]) {
    const kinds = (await changesAfter(app, viewer, everything, before)).map(({ kind }) => kind)
    expect(kinds).not.toContain('NOTIFIED')
  }
})

test('whatever is done, taken back or read is a change, also where other sources select it', async () => {
  await readAll(app, ada)
  const before = await settledCursor(app, ada)
  const other = await publish(app, ada, { content: 'Dune' })
  await setRelation(app, bob, likes, other)
  await setRelation(app, bob, likes, other, false)
  const reply = await publish(app, bob, { content: `Sand? @${ada.username}`, parent: other })
  await mutate(app, bob, 'deletePost', { uuid: reply }, 'publication { uuid }')
  const mention = await publish(app, bob, { content: `Dust? @${ada.username}` })
  await mutate(app, bob, 'updatePost', { uuid: mention, content: 'Dust' }, 'publication { uuid }')
  await readAll(app, ada, '_____________________w')
  await setRelation(app, ada, likes, other)

  const found = await changesAfter(app, ada, { notifications: true }, before)
  const moved = 'ada NOTIFIED ada'
  expect(inShort(found)).toEqual([
    'bob NOTIFIED Dune',
    moved,
    'bob NOTIFIED ada',
    moved,
    'bob NOTIFIED Dust',
    moved,
    moved,
  ])
  const kinds = async (of: object) => (await changesAfter(app, ada, of, before)).map(({ kind }) => kind)
  const all = { notifications: true, publications: [other], repliesTo: [other] }
  expect(await kinds({ ...all, notifications: false })).toEqual([
    'PUBLISHED',
    'LIKED',
    'UNLIKED',
    'PUBLISHED',
    'DELETED',
    'LIKED',
  ])
  // In place of the kinds that are left out.
  expect(await kinds({ ...all, kinds: ['NOTIFIED', 'LIKED'] })).toEqual([
    'LIKED',
    ...Array(6).fill('NOTIFIED'),
    'LIKED',
  ])
})

test('the recipient of what was taken back gets it from every source, like everybody else', async () => {
  const [cyd, dan] = [await app.person('cyd'), await app.person('dan')]
  await setRelation(app, ada, follows, cyd.id)
  await setRelation(app, dan, follows, cyd.id)
  const before = await settledCursor(app, ada)
  await setRelation(app, cyd, likes, post)
  await setRelation(app, cyd, likes, post, false)
  const reply = await publish(app, cyd, { parent: post })
  await mutate(app, cyd, 'deletePost', { uuid: reply }, 'publication { uuid }')
  const [sent, gone] = [`PUBLISHED ${reply}`, `DELETED ${reply}`]
  const ofPost = [`LIKED ${post}`, `UNLIKED ${post}`]
  const sources: readonly (readonly [object, readonly string[]])[] = [
    [{ publications: [post] }, ofPost],
    [{ repliesTo: [post] }, [sent, gone]],
    [{ home: true }, [sent, gone]],
    [{ threads: [post] }, [...ofPost, sent, gone]],
  ]
  for (const viewer of [ada, dan]) {
    for (const [of, expected] of sources) {
      for (const notifications of [undefined, null, false, true]) {
        const found = await changesAfter(app, viewer, { ...of, notifications }, before)
        const others = found.filter(({ kind }) => kind !== 'NOTIFIED')
        expect(others.map(({ kind, uuid }) => `${kind} ${uuid}`)).toEqual(expected)
        expect(others.every(({ actorUuid }) => actorUuid === cyd.id)).toBe(true)
        expect(found.filter((change) => change.changesNotifications)).toHaveLength(
          notifications && viewer === ada ? 4 : 0,
        )
        // Once, whatever sources select it.
        expect(new Set(found.map(({ cursor }) => cursor)).size).toBe(found.length)
      }
    }
  }
})

test('who asks for notifications alone does not learn what was taken back', async () => {
  const eve = await app.person('eve')
  const before = await settledCursor(app, ada)
  for (const done of [true, false]) {
    await setRelation(app, eve, likes, post, done)
    await setRelation(app, eve, follows, ada.id, done)
  }
  const reply = await publish(app, eve, { parent: post })
  await mutate(app, eve, 'deletePost', { uuid: reply }, 'publication { uuid }')
  const other = await publish(app, ada)
  for (const of of [
    {},
    { kinds: ['NOTIFIED'] },
    { publications: [other], users: [bob.id], kinds: ['NOTIFIED', 'EDITED'] },
  ]) {
    const found = await changesAfter(app, ada, { notifications: true, ...of }, before)
    expect(found.map(({ kind, actorUuid, uuid }) => [kind, actorUuid, uuid])).toEqual([
      ['NOTIFIED', eve.id, post],
      ['NOTIFIED', eve.id, ada.id],
      ...Array(2).fill(['NOTIFIED', ada.id, ada.id]),
      ['NOTIFIED', eve.id, reply],
      ['NOTIFIED', ada.id, ada.id],
    ])
  }
})

test('what muted accounts do is no change of notifications', async () => {
  const before = await settledCursor(app, ada)
  await setRelation(app, ada, mutes, bob.id)
  await setRelation(app, bob, likes, post, false)
  await setRelation(app, bob, likes, post)
  const mention = await publish(app, bob, { content: `@${ada.username}` })
  await mutate(app, bob, 'deletePost', { uuid: mention }, 'publication { uuid }')
  expect(inShort(await changesAfter(app, ada, { notifications: true }, before))).toEqual([])
  // A mute does not affect other sources.
  const found = await changesAfter(app, ada, { notifications: true, publications: [post] }, before)
  expect(inShort(found)).toEqual(['bob UNLIKED Nest', 'bob LIKED Nest'])
  expect(found.some(({ changesNotifications }) => changesNotifications)).toBe(false)
  await setRelation(app, ada, mutes, bob.id, false)
})

test('the deletion of a publication removes the notifications of its likes', async () => {
  const spark = await publish(app, ada)
  await setRelation(app, bob, likes, spark)
  const before = await settledCursor(app, ada)
  await mutate(app, ada, 'deletePost', { uuid: spark }, 'publication { uuid }')
  expect(inShort(await changesAfter(app, ada, { notifications: true }, before))).toEqual(['ada NOTIFIED ada'])
  expect(await changesAfter(app, ada, { notifications: true, home: true }, before)).toMatchObject([
    { kind: 'DELETED', uuid: spark, changesNotifications: true },
  ])
})

test('notifications require their scope', async () => {
  const token = await app.token(
    ada,
    scopes.filter((scope) => scope !== 'notification.get' && scope !== 'moderation.manage'),
  )
  const narrow = { ...ada, token }
  const after = await changeCursor(app, ada)
  const { errors } = await askForChanges(app, narrow, { of: { notifications: true }, after })
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['NOTIFICATION_GET']] } }])
  expect((await askForChanges(app, narrow, { of: { public: true, notifications: false }, after })).errors).toEqual([])
})
