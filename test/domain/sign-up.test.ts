import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { signUp } from '../support/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('signing up neither counts nor deletes the tokens of the new account', async () => {
  const statements = await app.statementsOf(() => signUp(app, { username: 'ada' }))
  const ofTokens = statements.filter((statement) => statement.includes('access_tokens'))
  expect(ofTokens).toEqual([expect.stringMatching(/^insert/i)])
})
