import { afterAll, beforeAll, expect, test } from 'vitest'
import { reservedConnections, waitingLimits } from '../../../src/engine/data/pooled-backend.ts'
import { TrustedDocuments } from '../../../src/engine/graphql/find-operation.ts'
import { addDocuments, documentHash, removeDocuments } from '../../../src/engine/graphql/stored-documents.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('a limited number of lookups wait, and further ones are refused', async () => {
  const further = 100
  const lookups = Array.from({ length: waitingLimits.reserved + further }, () =>
    app.database.runReserved('SELECT 1', []),
  )
  const results = await Promise.allSettled(lookups)
  const refused = results.filter(({ status }) => status === 'rejected')
  // Those that find an idle connection do not wait.
  expect(further - refused.length).toBeGreaterThanOrEqual(0)
  expect(further - refused.length).toBeLessThanOrEqual(reservedConnections)
  expect(refused[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
})

test('a document that was removed is no longer found', async () => {
  const source = '{ removed: __typename }'
  const hash = documentHash(source)
  await addDocuments(app.database, [{ source, operations: [] }])
  const documents = new TrustedDocuments(app.database)
  const find = () => documents.sourceOf({ documentId: hash })
  expect(await find()).toEqual({ source, isTrusted: true })
  await removeDocuments(app.database, [hash])
  letTimePass()
  for (const _nth of [1, 2]) await expect(find()).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('health checks at the same time share one statement', async () => {
  const statements = await app.statementsOf(() => Promise.all(Array.from({ length: 40 }, () => app.database.ping())))
  expect(statements).toHaveLength(1)
})
