import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { staleness } from '../../src/domain/sessions.ts'
import { addDocuments, documentHash } from '../../src/domain/trusted-documents.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { whileLocked } from '../support/locked-table.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ trustedProxies: 1 })
})
afterAll(() => app.close())

const unknownToken = (nth: number) => `rookery_${String(nth).padStart(43, '0')}`

const from = (address: string) => ({ 'x-forwarded-for': address })

const sendToken = async (address: string, nth: number) => {
  expect((await app.rest(unknownToken(nth), 'GET', '/user', undefined, from(address))).status).toBe(401)
}

const nameDocument = async (address: string, nth: number) => {
  const documentId = String(nth).padStart(64, '0')
  const headers = { ...from(address), 'content-type': 'application/json' }
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ documentId }),
  })
  expect(await response.text()).toContain('NOT_FOUND')
}

test.each([
  ['tokens', 'access_tokens', sendToken],
  ['documents', 'trusted_documents', nameDocument],
])('an address that sends many unknown %s does not delay the tokens of others', async (_what, table, send) => {
  const refused: string[] = []
  let requests: Promise<unknown>[] = []
  const begin = (address: string, sending: typeof send, nth: number) =>
    requests.push(sending(address, nth).then(() => refused.push(address)))
  await whileLocked(app, table, async () => {
    requests = []
    for (const nth of Array(40).keys()) begin('192.0.2.1', send, nth)
    await setTimeout(200)
    begin('192.0.2.2', sendToken, 40)
    await setTimeout(100)
  })
  await Promise.all(requests)
  expect(refused.indexOf('192.0.2.2')).toBeLessThan(20)
})

test('nor documents that others use, although their turn to be renewed comes meanwhile', async () => {
  const source = '{ __typename }'
  await addDocuments(app.database, [{ source, operations: [] }])
  const refused: string[] = []
  const send = async (address: string, documentId: string) => {
    const headers = { ...from(address), 'content-type': 'application/json' }
    await fetch(`${app.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ documentId }) })
    refused.push(address)
  }
  await send('192.0.2.2', documentHash(source))
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + staleness)
  onTestFinished(() => clock.mockRestore())
  let requests: Promise<unknown>[] = []
  await whileLocked(app, 'trusted_documents', async () => {
    const invented = Array.from({ length: 40 }, (_, nth) => String(nth).padStart(64, '1'))
    requests = [...invented, documentHash(source)].map((id) => send('192.0.2.1', id))
    await setTimeout(200)
    refused.length = 0
    requests.push(send('192.0.2.2', documentHash(source)))
    await setTimeout(100)
  })
  await Promise.all(requests)
  expect(refused.indexOf('192.0.2.2')).toBeLessThan(20)
})

test('health checks at the same time share one statement', async () => {
  const statements = await app.statementsOf(async () => {
    const checks = Array.from({ length: 40 }, () => fetch(`${app.origin}/health/ready`))
    for (const { status } of await Promise.all(checks)) expect(status).toBe(200)
  })
  expect(statements.length).toBeGreaterThan(0)
  expect(statements.length).toBeLessThan(20)
})
