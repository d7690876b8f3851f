import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Documents } from '../../../src/engine/execution/documents.ts'
import { startApp, type TestApp } from '../../support/app.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startApp()
  ;({ token } = await app.person('ada'))
})
afterAll(() => app.close())

/** How many documents are parsed for several requests with this document. */
async function parsedFor(source: string, sender: string | undefined): Promise<number> {
  const load = vi.spyOn(Documents.prototype, 'load')
  try {
    for (let sent = 0; sent < 3; sent += 1) {
      expect(await app.graphql(sender, source)).toMatchObject({ data: { __typename: 'Query' } })
    }
    return load.mock.calls.length
  } finally {
    load.mockRestore()
  }
}

test('a document is parsed once if it is sent with a token', async () => {
  expect(await parsedFor('{ __typename }', token)).toBe(1)
})

test('a document without a token is not cached', async () => {
  expect(await parsedFor('{ __typename }', undefined)).toBe(3)
})
