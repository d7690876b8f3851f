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

test('an address that sends many unknown tokens does not delay those of others', async () => {
  const refused: string[] = []
  const send = async (address: string, nth: number) => {
    const headers = { 'x-forwarded-for': address }
    expect((await app.rest(unknownToken(nth), 'GET', '/user', undefined, headers)).status).toBe(401)
    refused.push(address)
  }
  let requests: Promise<unknown>[] = []
  await whileLocked(app, 'access_tokens', async () => {
    requests = Array.from({ length: 40 }, (_, nth) => send('192.0.2.1', nth))
    await setTimeout(200)
    requests.push(send('192.0.2.2', 40))
    await setTimeout(100)
  })
  await Promise.all(requests)
  expect(refused.indexOf('192.0.2.2')).toBeLessThan(20)
})
