import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CompiledRead } from '../../src/data/backend.ts'
import type { Database } from '../../src/data/database.ts'
import { largeResponseLimits } from '../../src/server/turns/large-responses.ts'
import { resolversLimits } from '../../src/server/turns/request-turns.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { openTestDatabase } from '../support/database.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'

let app: TestApp
let running = 0
let most = 0
let begun: string[] = []
/** Statements wait for it before they run. */
let gate: Promise<void> | undefined

/** Has statements wait until the returned function is called. */
function closeGate(): () => void {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  return open
}

beforeAll(async () => {
  app = await startApp({}, async (log) => {
    const database = await openTestDatabase(log)
    const counting = ({ read, ...rest }: Database): Database => ({
      ...rest,
      read: {
        run: async (statement: CompiledRead) => {
          running += 1
          most = Math.max(most, running)
          begun.push(statement.text)
          await gate
          return read.run(statement).finally(() => {
            running -= 1
          })
        },
      },
    })
    return { ...database, for: (requester) => counting(database.for(requester)) }
  })
})
afterAll(() => app.close())

test('a request runs at most four statements at a time', async () => {
  const ada = await app.person()
  const id = globalIdOf('Post', await publish(app, ada))
  const lookups = Array.from({ length: 40 }, (_, index) => `n${index}: node(id: "${id}") { id }`)
  most = 0
  const { data, errors } = await app.graphql(ada.token, `{ ${lookups.join(' ')} }`)
  expect(errors).toEqual([])
  expect(data).toMatchObject({ n0: { id }, n39: { id } })
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
})

/** It could return more than 1 MB, whatever it finds. */
const largeTimeline = (alias = '') =>
  `{ publicTimeline(first: 100) { nodes { author { posts(first: 20) { nodes { uuid ${alias} content } } } } } }`

/** Sends a query on 20 connections at once. */
const answersOf = (person: Person, source: string) => answersOfAll(Array(20).fill(person), source)

/** Sends a query for each of these people at once. */
async function answersOfAll(people: readonly Person[], source: string): Promise<void> {
  most = 0
  const answers = await Promise.all(people.map(({ token }) => app.graphql(token, source)))
  for (const { errors } of answers) expect(errors).toEqual([])
}

test('small responses to queries that could return large ones are read side by side', async () => {
  const ada = await app.person()
  await publish(app, ada)
  await answersOf(ada, largeTimeline())
  await answersOf(ada, largeTimeline())
  expect(most).toBeGreaterThan(1)
})

test.each([
  ['', largeTimeline()],
  [' and have fields with resolvers', largeTimeline().replace('{', '{ rateLimit { remaining }')],
])('queries of new accounts that could return large responses%s run one by one', async (_, source) => {
  const people = await Promise.all(Array.from({ length: 20 }, () => app.person()))
  await answersOfAll(people, source)
  expect(most).toBe(largeResponseLimits.large.atOnce)
  await answersOfAll(people, source)
  expect(most).toBeGreaterThan(1)
})

test('one request of an account at a time reads what may be a large response after one was large', async () => {
  const [ada, other] = [await app.person(), await app.person()]
  const posts = Array.from({ length: 100 }, () => ({ id: newId(), authorId: ada.id, content: 'x'.repeat(500) }))
  await app.database.write.prisma.publication.createMany({ data: posts })
  await answersOf(ada, largeTimeline('large:'))
  await answersOf(ada, largeTimeline())
  expect(most).toBe(largeResponseLimits.large.atOnce)
  await app.database.write.prisma.publication.deleteMany({ where: { authorId: ada.id } })
  await answersOf(ada, largeTimeline())
  expect(most).toBe(largeResponseLimits.large.atOnce)
  await answersOf(other, largeTimeline())
  await answersOf(other, largeTimeline())
  expect(most).toBeGreaterThan(1)
})

test('a large result that is abandoned is read again in its turn, but its resolvers run once', async () => {
  const [ada, other] = [await app.person(), await app.person()]
  const lookup = `node(id: "${globalIdOf('User', ada.id)}") { ... on User { username } }`
  const source = largeTimeline('large:').replace('{', `{ ${lookup}`)
  await app.graphql(ada.token, source)
  const posts = Array.from({ length: 100 }, () => ({ id: newId(), authorId: ada.id, content: 'x'.repeat(500) }))
  await app.database.write.prisma.publication.createMany({ data: posts })
  begun = []
  const planned = () => begun.filter((text) => text.includes('large')).length
  const openGate = closeGate()
  const holder = app.graphql(other.token, source)
  await expect.poll(() => running).toBe(2)
  gate = undefined
  const abandoned = app.graphql(ada.token, source)
  await expect.poll(() => [planned(), running]).toEqual([2, 2])
  openGate()
  const [first, second] = await Promise.all([holder, abandoned])
  expect([first.errors, second.errors]).toEqual([[], []])
  expect(second.data).toEqual(first.data)
  expect([planned(), begun.length - planned()]).toEqual([3, 2])
})

test('few requests at a time resolve a large result', async () => {
  const ada = await app.person()
  const selection = 'posts(first: 100) { nodes { author { posts(first: 20) { nodes { uuid } } } } }'
  const source = `{ node(id: "${globalIdOf('User', ada.id)}") { ... on User { username ${selection} } } }`
  most = 0
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.graphql(ada.token, source)))
  for (const { data, errors } of answers) {
    expect({ data, errors }).toEqual({ data: { node: { username: ada.username, posts: { nodes: [] } } }, errors: [] })
  }
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(resolversLimits.atOnceAlone)
})
