import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ChangeKind, NotificationKind } from '../../../src/engine/data/generated/prisma/enums.ts'
import { changeKinds, notificationKinds } from '../../../src/features/base/kinds.ts'
import { type Relation, relations } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor } from '../../support/graphql/changes.ts'
import { inShort, wrongNotifications } from '../../support/graphql/notifications.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let others: Person[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  others = [await app.person('bob'), await app.person('cyd')]
})
afterAll(() => app.close())

test.each([
  ['changes', changeKinds, ChangeKind],
  ['notifications', notificationKinds, NotificationKind],
])('the kinds of %s are those of the database', (_name, kinds, stored) => {
  expect([...kinds.keys()].sort()).toEqual(Object.keys(stored).sort())
})

/** An account, what a relation to it or to its post leads to, and the sources with its changes. */
async function objectOf({ objectType }: Relation) {
  const owner = await app.person()
  const uuid = objectType === 'user' ? owner.id : await publish(app, owner)
  return { owner, uuid, of: objectType === 'user' ? { users: [uuid] } : { publications: [uuid] } }
}

const told = relations.map((relation) => ({ verb: relation.verb, relation }))

describe.each(told)('what the viewer can $verb', ({ relation }) => {
  const { change, notification } = relation

  test('has the declared changes, and no others', async () => {
    const { owner, uuid, of } = await objectOf(relation)
    const start = await settledCursor(app, ada)
    for (const wanted of [true, true, false, false]) await setRelation(app, ada, relation, uuid, wanted)
    const expected = change ? [change.on, change.off].map((kind) => ({ kind, uuid, actorUuid: ada.id })) : []
    for (const viewer of [ada, owner]) expect(await changesAfter(app, viewer, of, start)).toMatchObject(expected)
    for (const kinds of change ? [[change.on], [change.off]] : [])
      expect(await changesAfter(app, owner, { ...of, kinds }, start)).toMatchObject([{ kind: kinds[0] }])
  })

  test('notifies its owner if that is declared, until it is taken back', async () => {
    const { owner, uuid } = await objectOf(relation)
    for (const other of others) await setRelation(app, other, relation, uuid)
    expect(await inShort(app, owner)).toEqual(notification ? [`new ${notification.kind} 2 cyd bob`] : [])
    expect(await wrongNotifications(app.database)).toEqual([])
    for (const other of others) await setRelation(app, other, relation, uuid, false)
    expect(await inShort(app, owner)).toEqual([])
  })

  test('tells whoever asks for notifications of both', async () => {
    const { owner, uuid } = await objectOf(relation)
    const start = await settledCursor(app, owner)
    for (const wanted of [true, false]) await setRelation(app, ada, relation, uuid, wanted)
    const found = await changesAfter(app, owner, { notifications: true }, start)
    const changes = found.filter(({ changesNotifications }) => changesNotifications)
    // Of what is taken back, it does not tell by whom.
    const expected = [{ actorUuid: ada.id }, { actorUuid: owner.id }].map((it) => ({ kind: 'NOTIFIED', ...it }))
    expect(changes).toMatchObject(notification ? expected : [])
  })
})
