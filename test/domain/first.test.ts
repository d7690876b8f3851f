import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('a home timeline takes one statement', async () => {
  const ada = await app.person('ada')
  await app.graphql(ada.token, 'mutation { sendPost(input: { content: "Hello" }) { publication { uuid } } }')
  let answer
  const statements = await app.statementsOf(async () => {
    answer = await app.graphql(ada.token, '{ homeTimeline { nodes { content author { username } } } }')
  })
  expect(answer).toMatchObject({
    data: { homeTimeline: { nodes: [{ content: 'Hello', author: { username: 'ada' } }] } },
  })
  expect(statements).toHaveLength(1)
})
