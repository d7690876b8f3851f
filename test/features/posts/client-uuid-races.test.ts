import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { deadlocks, wrongCounters } from '../../support/database/counters.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { outcomeOf, outcomes, tally } from '../../support/graphql/outcomes.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  bob = await app.person('bob')
})
afterAll(() => app.close())

type Input = { readonly uuid: string; readonly content?: string; readonly parent?: string }

const send = (person: Person, input: Input) =>
  mutate(app, person, 'sendPost', { content: 'Hello', ...input }, 'publication { uuid content author { username } }')
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const rowsOf = (ids: string[]) => app.database.write.prisma.publication.findMany({ where: { id: { in: ids } } })

test('the same post or reply sent many times at once is stored and counted once', async () => {
  const [parent, post, reply] = [await publish(app, bob), v7(), v7()]
  expect(await outcomes(many(20, () => send(ada, { uuid: post })))).toEqual({ DONE: 20 })
  expect(await outcomes(many(20, () => send(ada, { uuid: reply, parent })))).toEqual({ DONE: 20 })
  expect(await rowsOf([post, reply])).toHaveLength(2)
  expect(await rowsOf([parent])).toMatchObject([{ replyCount: 1 }])
  expect(await wrongCounters(app.database)).toEqual([])
})

test('of different publications sent at once under one uuid, one is stored and the others are refused', async () => {
  const [parent, other, uuid] = [await publish(app, bob), await publish(app, bob), v7()]
  const answers = await Promise.all([
    ...many(5, (index) => send(ada, { uuid, content: `Post ${index}` })),
    ...many(5, (index) => send(bob, { uuid, content: `Post ${index}` })),
    ...[parent, other].flatMap((it) => many(5, (index) => send(ada, { uuid, parent: it, content: `Reply ${index}` }))),
  ])
  expect(tally(answers.map(outcomeOf))).toEqual({ DONE: 1, CONFLICT: 19 })
  const [row] = await rowsOf([uuid])
  const [done] = answers.filter(({ errors }) => errors.length === 0)
  expect(done?.data).toMatchObject({ sendPost: { publication: { uuid, content: row?.content } } })
  expect(await wrongCounters(app.database)).toEqual([])
})

test('replies under the same uuids to different parents, in any order, never deadlock', async () => {
  const before = await deadlocks(app.database)
  const parents = await Promise.all(many(6, () => publish(app, bob)))
  for (let round = 0; round < 10; round += 1) {
    const uuids = many(6, () => v7())
    const crossed = uuids.flatMap((uuid, nth) =>
      many(3, (time) =>
        send(time % 2 === 0 ? ada : bob, { uuid, parent: parents[(nth * 5 + time + round) % 6] ?? '' }),
      ),
    )
    const posts = uuids.toReversed().map((uuid) => send(bob, { uuid }))
    const found = await outcomes([...crossed, ...posts])
    expect(found).toEqual({ DONE: 6, CONFLICT: 18 })
  }
  expect(await deadlocks(app.database)).toEqual(before)
  expect(await wrongCounters(app.database)).toEqual([])
})
