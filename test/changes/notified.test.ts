import { afterAll, beforeAll, expect, test } from 'vitest'
import { follows, likes, mutes } from '../../src/domain/relations.ts'
import { scopes } from '../../src/scopes.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { askForChanges, changeCursor, changesAfter, inShort, settledCursor } from '../support/graphql/changes.ts'
import { moderator } from '../support/graphql/moderation.ts'
import { mutate } from '../support/graphql/mutate.ts'
import { readAll } from '../support/graphql/notifications.ts'
import { publish } from '../support/graphql/publish.ts'
import { setRelation } from '../support/graphql/relations.ts'

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
  expect(await kinds({ ...all, kinds: ['NOTIFIED', 'LIKED'] })).toEqual([...Array(7).fill('NOTIFIED'), 'LIKED'])
})

test('what muted accounts do is no change of notifications', async () => {
  const before = await settledCursor(app, ada)
  await setRelation(app, ada, mutes, bob.id)
  await setRelation(app, bob, likes, post, false)
  await setRelation(app, bob, likes, post)
  await publish(app, bob, { content: `@${ada.username}` })
  expect(inShort(await changesAfter(app, ada, { notifications: true }, before))).toEqual([])
  await setRelation(app, ada, mutes, bob.id, false)
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
