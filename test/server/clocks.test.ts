import { afterAll, beforeAll, expect, test } from 'vitest'
import { staleness } from '../../src/engine/auth/viewers.ts'
import { newId } from '../../src/engine/data/ids.ts'
import { deleteAccount } from '../../src/features/deletion/deletion.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../support/app.ts'
import { letTimePass, setClock } from '../support/clock.ts'
import { publish } from '../support/graphql/publish.ts'
import { balanceOf } from '../support/http/balance.ts'

const hour = 3_600_000

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

/** The time of a UUID of version 7. */
const timeOf = (uuid: string) => Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

test('a used up budget is full again after its window, although the clock steps back an hour', async () => {
  const brief = await startApp({ budgets: budgets({ points: 1_000, seconds: 2 }) }, sharing(app))
  const ask = () => brief.graphql(ada.token, '{ nothing }')
  setClock(0)
  // At once, because one after the other they may take longer than the window.
  const askOften = async () => (await Promise.all(Array.from({ length: 12 }, ask))).find(({ status }) => status === 429)
  await expect.poll(askOften, { interval: 0 }).toBeDefined()
  setClock(-hour)
  const { resetsIn } = balanceOf((await ask()).headers)
  expect(resetsIn).toBeLessThanOrEqual(2)
  await expect.poll(async () => (await ask()).status).not.toBe(429)
  await brief.close()
})

test('a budget stays used up when the clock steps ahead, and tells when it is full again by that clock', async () => {
  const slow = await startApp({ budgets: budgets({ points: 1_000, seconds: 600 }) }, sharing(app))
  const rateLimit = '{ rateLimit { remaining resetAt } }'
  const before = Object((await slow.graphql(ada.token, rateLimit)).data).rateLimit
  setClock(hour)
  const after = Object((await slow.graphql(ada.token, rateLimit)).data).rateLimit
  expect(after.remaining).toBeLessThan(before.remaining)
  const left = Date.parse(after.resetAt) - Date.now()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(600_000)
  await slow.close()
})

test('new posts have the right time again once a clock that was an hour ahead is right', async () => {
  setClock(hour)
  expect(timeOf(await publish(app, ada))).toBe(Date.now())
  setClock(0)
  expect(timeOf(await publish(app, ada))).toBe(Date.now())
})

test('new ids keep their order while the clock stands still or steps back a little', () => {
  const ids: string[] = []
  for (const ahead of [0, 5, 0, -1_000, -30_000]) {
    setClock(ahead)
    ids.push(...Array.from({ length: 500 }, newId))
  }
  expect(ids).toEqual([...new Set(ids)].sort())
})

test('the last use of a token is recorded again once a clock that was an hour ahead is right', async () => {
  const { token } = await app.person()
  const lastUse = async () => {
    letTimePass()
    await app.graphql(token, '{ viewer { username } }')
    const { data } = await app.graphql(token, '{ accessTokens(first: 1) { nodes { lastUsedAt } } }')
    return Date.parse(Object(data).accessTokens.nodes[0].lastUsedAt)
  }
  setClock(hour)
  expect(await lastUse()).toBe(Date.now())
  setClock(0)
  expect(await lastUse()).toBe(Date.now())
})

test('signing in deletes no valid tokens, although the clock is a day ahead', async () => {
  const grace = await app.person()
  const token = await app.token(grace, ['user.get'], { expiresAt: new Date(Date.now() + hour) })
  setClock(24 * hour)
  await app.token(grace, ['user.get'])
  setClock(0)
  expect((await app.graphql(token, '{ viewer { username } }')).status).toBe(200)
})

test('an account is deleted without delay, although it was suspended by a clock that was an hour ahead', async () => {
  const { id } = await app.person()
  const suspendedAt = new Date(Date.now() + hour)
  await app.database.write.prisma.user.update({ where: { id }, data: { suspendedAt } })
  const began = performance.now()
  await deleteAccount(app.database, id)
  expect(performance.now() - began).toBeLessThan(2 * staleness)
})
