import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from '../../src/data/database.ts'
import { staleness } from '../../src/domain/sessions.ts'
import { addDocuments, documentHash, removeDocuments } from '../../src/domain/trusted-documents.ts'
import type { Log } from '../../src/log.ts'
import { parametersInBody } from '../../src/server/graphql/parameters.ts'
import { TrustedDocuments } from '../../src/server/graphql/trusted-documents.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openTestDatabase } from '../support/database.ts'
import { whileLocked } from '../support/locked-table.ts'

/** Who asked for each lookup. */
let requesters: string[] = []

async function open(log: Log): Promise<Database> {
  const database = await openTestDatabase(log)
  return {
    ...database,
    inLookupTurn: (requester, lookup) => {
      requesters.push(requester.account)
      return database.inLookupTurn(requester, lookup)
    },
  }
}

let app: TestApp
beforeAll(async () => {
  app = await startApp({ trustedProxies: 1 }, open)
})
afterAll(() => app.close())

const attacker = '192.0.2.1'
const other = '192.0.2.2'
const count = 40

const from = (address: string) => ({ 'x-forwarded-for': address })

async function sendToken(address: string, nth: number): Promise<void> {
  const token = `rookery_${String(nth).padStart(43, '0')}`
  expect((await app.rest(token, 'GET', '/user', undefined, from(address))).status).toBe(401)
}

async function nameDocument(address: string, documentId: string): Promise<string> {
  const headers = { ...from(address), 'content-type': 'application/json' }
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ documentId }),
  })
  return response.text()
}

/** The id of a document that does not exist. */
const invented = (nth: number) => String(nth).padStart(64, '0')

async function inventDocument(address: string, nth: number): Promise<void> {
  expect(await nameDocument(address, invented(nth))).toContain('NOT_FOUND')
}

/** Lets what is known become stale until the end of the test. */
function letTimePass(): void {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + staleness)
  onTestFinished(() => clock.mockRestore())
}

test.each([
  ['tokens', 'access_tokens', sendToken],
  ['documents', 'trusted_documents', inventDocument],
])('an address that sends many unknown %s does not delay the tokens of others', async (_what, table, send) => {
  const responded: string[] = []
  const requests: Promise<unknown>[] = []
  const begin = (address: string, sent: Promise<void>) => requests.push(sent.then(() => responded.push(address)))
  await whileLocked(app, table, async () => {
    requesters = []
    for (const nth of Array(count).keys()) begin(attacker, send(attacker, nth))
    await expect.poll(() => requesters).toHaveLength(count)
    begin(other, sendToken(other, count))
    await expect.poll(() => requesters).toHaveLength(count + 1)
  })
  await Promise.all(requests)
  expect(responded.indexOf(other)).toBeLessThan(count / 2)
})

test('an address that sends many unknown documents does not delay known ones, although they have to be renewed', async () => {
  const source = '{ __typename }'
  await addDocuments(app.database, [{ source, operations: [] }])
  const responded: string[] = []
  const requests: Promise<unknown>[] = []
  const begin = (address: string, sent: Promise<unknown>) => requests.push(sent.then(() => responded.push(address)))
  const useKnown = async (address: string) =>
    expect(await nameDocument(address, documentHash(source))).toContain('"__typename":"Query"')
  await useKnown(other)
  letTimePass()
  await whileLocked(app, 'trusted_documents', async () => {
    requesters = []
    for (const nth of Array(count).keys()) begin(attacker, inventDocument(attacker, nth))
    begin(attacker, useKnown(attacker))
    await expect.poll(() => requesters).toHaveLength(count + 1)
    begin(other, useKnown(other))
    // It shares the lookup of the attacker, so nothing tells when it has arrived.
    await setTimeout(100)
  })
  await Promise.all(requests)
  expect(responded.indexOf(other)).toBeLessThan(count / 2)
})

test('a document that was removed does not count as known any more', async () => {
  const source = '{ removed: __typename }'
  const hash = documentHash(source)
  await addDocuments(app.database, [{ source, operations: [] }])
  const documents = new TrustedDocuments(app.database, false)
  const find = () => documents.documentOf(parametersInBody(JSON.stringify({ documentId: hash })), { account: 'ada' })
  requesters = []
  expect(await find()).toMatchObject({ source })
  await removeDocuments(app.database, [hash])
  letTimePass()
  for (const _nth of [1, 2]) await expect(find()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(requesters).toEqual(['ada', 'renewals of documents', 'ada'])
})

test('health checks at the same time share one statement', async () => {
  const statements = await app.statementsOf(() => Promise.all(Array.from({ length: count }, () => app.database.ping())))
  expect(statements).toHaveLength(1)
})
