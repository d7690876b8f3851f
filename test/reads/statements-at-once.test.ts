import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CompiledRead } from '../../src/data/backend.ts'
import type { Database } from '../../src/data/database.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openTestDatabase } from '../support/database.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'

let app: TestApp
let running = 0
let most = 0
beforeAll(async () => {
  app = await startApp({}, async (log) => {
    const database = await openTestDatabase(log)
    const counting = ({ read, ...rest }: Database): Database => ({
      ...rest,
      read: {
        run: async (statement: CompiledRead) => {
          running += 1
          most = Math.max(most, running)
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
