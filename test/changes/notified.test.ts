import { afterAll, beforeAll, expect, test } from 'vitest'
import { follows, likes } from '../../src/domain/edges.ts'
import { scopes } from '../../src/scopes.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { askForChanges, changeCursor, changesAfter, inShort, settledCursor } from '../support/changes.ts'
import { setEdge } from '../support/edges.ts'
import { moderator } from '../support/moderation.ts'
import { mutate } from '../support/mutate.ts'
import { readAll } from '../support/notifications.ts'
import { publish } from '../support/publish.ts'

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
  await setEdge(app, bob, likes, post)
  await setEdge(app, bob, follows, ada.id)
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

test('whenever the number of unread notifications rises or falls, there is a change', async () => {
  await readAll(app, ada)
  const before = await settledCursor(app, ada)
  const other = await publish(app, ada, { content: 'Dune' })
  await setEdge(app, bob, likes, other)
  await setEdge(app, bob, likes, other, false)
  await setEdge(app, bob, likes, other)
  const reply = await publish(app, bob, { content: 'Sand?', parent: other })
  await mutate(app, bob, 'deletePost', { uuid: reply }, 'publication { uuid }')
  await readAll(app, ada)
  await readAll(app, ada)
  await setEdge(app, bob, likes, other, false)

  const found = await changesAfter(app, ada, { notifications: true }, before)
  const written = ['bob NOTIFIED Dune', 'bob NOTIFIED ada']
  const moved = 'ada NOTIFIED ada'
  expect(inShort(found)).toEqual([written[0], moved, moved, written[1], moved, moved])
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
