import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const audits = serverAudits({ url: () => `${app.origin}/graphql` })

describe('GraphQL over HTTP', () => {
  test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s: %s', async (_id, _name, audit) => {
    expect(await audit()).toMatchObject({ status: 'ok' })
  })
})
