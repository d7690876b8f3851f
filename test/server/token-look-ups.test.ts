import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('health checks at the same time share one statement', async () => {
  const statements = await app.statementsOf(async () => {
    const checks = Array.from({ length: 40 }, () => fetch(`${app.origin}/health/ready`))
    for (const { status } of await Promise.all(checks)) expect(status).toBe(200)
  })
  expect(statements.length).toBeGreaterThan(0)
  expect(statements.length).toBeLessThan(20)
})
