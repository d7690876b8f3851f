import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { blocks, follows, likes } from '../../../src/features/base/relations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks } from '../../support/database/counters.ts'
import { liftLockLimit } from '../../support/database/locks.ts'
import { onPostgres } from '../../support/database.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import {
  notificationsOf,
  pageOfNotifications,
  readAll,
  wrongNotifications,
} from '../../support/graphql/notifications.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation, toggleRelation } from '../../support/graphql/relations.ts'

let app: TestApp
let ada: Person
let crowd: Person[]
let post: string
beforeAll(async () => {
  app = await startApp()
  crowd = await people(app, 8)
  await liftLockLimit(app.database)
})
beforeEach(async () => {
  ada = await app.person()
  post = await publish(app, ada)
})
afterAll(() => app.close())

test.runIf(onPostgres)('what commits late is in the list, and may be read with what was newer', async () => {
  const [late, early] = crowd
  if (!late || !early) throw new Error('nobody')
  const other = await publish(app, ada)
  await app.database.write.prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`select set_like(new_id => gen_random_uuid(), viewer => ${late.id}::uuid, object => ${other}::uuid, wanted => true,
      posts => true, replies => true)`
    await setRelation(app, early, likes, post)
    expect(await readAll(app, ada)).toBe(0)
    expect(await notificationsOf(app, ada)).toMatchObject([{ publication: { uuid: post } }])
  })
  expect(await notificationsOf(app, ada)).toMatchObject([
    { publication: { uuid: post }, isUnread: false },
    { publication: { uuid: other }, isUnread: false },
  ])
})

test('pages have each event that lasts exactly once, while others write, block and undo', async () => {
  const [first, ...others] = crowd
  if (!first) throw new Error('nobody')
  const replies = await Promise.all(crowd.map((person) => publish(app, person, { parent: post, content: 'Yes' })))
  const walk = async () => {
    const found: string[] = []
    for (let after: string | null = null, isMore = true; isMore; ) {
      const { nodes, pageInfo } = await pageOfNotifications(app, ada, { first: 1, after })
      found.push(...nodes.flatMap(({ kind, publication }) => (kind === 'REPLY' && publication ? publication.uuid : [])))
      after = pageInfo.endCursor
      isMore = pageInfo.hasNextPage
    }
    return found
  }
  const edit = (person: Person, uuid: string, content: string) =>
    mutate(app, person, 'updatePost', { uuid, content }, 'publication { uuid }')
  const [walks] = await Promise.all([
    Promise.all([walk(), walk(), walk()]),
    ...others.flatMap((person, at) => [
      toggleRelation(app, person, likes, post),
      toggleRelation(app, person, follows, ada.id),
      edit(person, replies[at + 1] ?? '', `@${first.username} @${ada.username}`),
      readAll(app, ada, '_____________________w'),
    ]),
    setRelation(app, ada, blocks, first.id),
  ])
  for (const found of walks) {
    const lasting = found.filter((uuid) => uuid !== replies[0])
    expect(lasting.toSorted()).toEqual(replies.slice(1).toSorted())
  }
  expect(await wrongNotifications(app.database)).toEqual([])
  expect(await deadlocks(app.database)).toEqual([{ deadlocks: 0 }])
})
