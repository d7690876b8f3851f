import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
let grace: Person
let reads = 0
let running = 0
let most = 0
beforeAll(async () => {
  app = await startApp({}, async (log) => {
    const database = await openTestDatabase(log)
    return {
      ...database,
      for: (request) => {
        const access = database.for(request)
        return {
          write: access.write,
          read: (statement) => {
            reads += 1
            running += 1
            most = Math.max(most, running)
            return access.read(statement).finally(() => {
              running -= 1
            })
          },
        }
      },
    }
  })
  ada = await app.person('ada')
  grace = await app.person('grace')
})
afterAll(() => app.close())

const publication = 'publication { uuid author { username } replies(first: 20) { nodes { uuid } } }'

test('the payloads of mutations are read from the database that takes the writes', async () => {
  reads = 0
  const post = await publish(app, ada)
  const reply = await publish(app, ada, { parent: post })
  const password = 'correct horse battery'
  const signUp = `signUp(input: { username: "hedy", email: "hedy@example.org", password: "${password}" })`
  const mutations = [
    `sendPost(input: { content: "Hello" }) { ${publication} }`,
    `updatePost(input: { uuid: "${post}", content: "Edited" }) { ${publication} }`,
    `toggleLike(input: { uuid: "${post}" }) { ${publication} }`,
    `toggleFollow(input: { uuid: "${grace.id}" }) { user { username followers(first: 5) { nodes { username } } } }`,
    `deleteReply(input: { uuid: "${reply}" }) { reply { uuid } }`,
    `${signUp} { viewer { username } }`,
    `updateProfile(input: { bio: "Hello" }) { viewer { bio posts(first: 20) { nodes { uuid } } } }`,
  ]
  for (const mutation of mutations) {
    expect(await app.graphql(ada.token, `mutation { ${mutation} }`)).toMatchObject({ status: 200, errors: [] })
  }
  expect(reads).toBe(0)
})

test('queries are read from the other one', async () => {
  const uuid = await publish(app, ada)
  const queries = [
    '{ viewer { username } }',
    `{ node(id: "${globalIdOf('Post', uuid)}") { id } }`,
    `{ viewer { posts(first: 20) { nodes { replies(first: 20) { nodes { author { username } } } } } } }`,
  ]
  for (const query of queries) {
    reads = 0
    expect(await app.graphql(ada.token, query)).toMatchObject({ status: 200, errors: [] })
    expect(reads).toBe(1)
  }
})

test('a request runs at most four statements at a time', async () => {
  const id = globalIdOf('Post', await publish(app, ada))
  const lookups = Array.from({ length: 16 }, (_, index) => `n${index}: node(id: "${id}") { id }`)
  most = 0
  const { data, errors } = await app.graphql(ada.token, `{ ${lookups.join(' ')} }`)
  expect(errors).toEqual([])
  expect(data).toMatchObject({ n0: { id }, n15: { id } })
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
})
