import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blocks, follows, likes } from '../../src/domain/edges.ts'
import { setSuspended } from '../../src/domain/moderation.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { deadlocks } from '../support/counters.ts'
import { setEdge, toggleEdge } from '../support/edges.ts'
import { heldUp } from '../support/held-up.ts'
import { liftLockLimit } from '../support/lock-limit.ts'
import { mutate } from '../support/mutate.ts'
import { notificationsOf, pageOfNotifications, readAll, wrongNotifications } from '../support/notifications.ts'
import { people, publish } from '../support/publish.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
let post: string
beforeAll(async () => {
  app = await startApp()
  crowd = await people(app, 10)
  await liftLockLimit(app.database)
})
beforeEach(async () => {
  ada = await app.person()
  post = await publish(app, ada)
})
afterAll(() => app.close())

const expectExact = async () => {
  expect(await wrongNotifications(app.database)).toEqual([])
  expect(await deadlocks(app.database)).toEqual([{ deadlocks: 0 }])
}
const like = (person: Person) => setEdge(app, person, likes, post)

test('likes and reads at the same time lose no like', async () => {
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      crowd.flatMap((person) => [
        toggleEdge(app, person, likes, post),
        toggleEdge(app, person, follows, ada.id),
        pageOfNotifications(app, ada).then(({ nodes: [newest] }) => newest && readAll(app, ada, newest.cursor)),
      ]),
    )
    await expectExact()
  }
  const counts = (await notificationsOf(app, ada)).map(({ kind, count }) => (kind === 'LIKE' ? count : 0))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(crowd.length)
})

test('likes that wait for a read are notified of anew', async () => {
  const [first, ...others] = crowd
  if (!first) throw new Error('nobody')
  await like(first)
  await heldUp(
    app.database,
    (transaction) => transaction.$executeRaw`update notifications set unread = false where user_id = ${ada.id}::uuid`,
    () => others.map(like),
  )
  expect(await notificationsOf(app, ada)).toMatchObject([
    { count: others.length, isUnread: true },
    { count: 1, isUnread: false },
  ])
  await expectExact()
})

test('accounts that follow and block each other at the same time leave no notification of the other', async () => {
  const pairs = crowd.flatMap((one, at) => crowd.slice(at + 1).map((other) => [one, other] as const))
  const posts = new Map<Person, string>()
  for (const person of crowd) posts.set(person, await publish(app, person))
  await Promise.all(
    pairs.flatMap(([one, other], at) => [
      setEdge(app, one, follows, other.id),
      setEdge(app, other, likes, posts.get(one) ?? ''),
      ...(at % 2 === 0 ? [setEdge(app, other, blocks, one.id)] : [setEdge(app, other, follows, one.id)]),
      publish(app, one, { parent: posts.get(other) ?? '' }).catch(() => undefined),
    ]),
  )
  await expectExact()
})

test('edits that add and remove mentions at the same time as blocks leave what the text says', async () => {
  const [author, ...others] = crowd
  if (!author) throw new Error('nobody')
  const texts = await Promise.all(others.map(() => publish(app, author, { content: 'Hello' })))
  const edit = (uuid: string, content: string) =>
    mutate(app, author, 'updatePost', { uuid, content }, 'publication { uuid }')
  const names = others.map(({ username }) => `@${username}`)
  await Promise.all([
    ...texts.flatMap((uuid, at) => [
      edit(uuid, names.slice(at).join(' ')),
      edit(uuid, names.slice(0, at).join(' ') || '-'),
    ]),
    ...others.slice(0, 3).map((other) => setEdge(app, other, blocks, author.id)),
  ])
  await expectExact()
})

test('a suspension or a deletion amid likes and replies leaves nothing', async () => {
  await Promise.all([
    ...crowd.flatMap((person) => [
      toggleEdge(app, person, likes, post),
      publish(app, person, { parent: post }).catch(() => undefined),
    ]),
    setSuspended(app.database, 'operator', { uuid: crowd[0]?.id ?? '', reason: 'Spam' }, true),
    mutate(app, ada, 'deletePost', { uuid: post }, 'publication { uuid }'),
  ])
  await expectExact()
})
