import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchEventLoop } from '../../src/server/health.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'

const eventLoop = watchEventLoop(100)
let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp({ isBehind: eventLoop.isBehind })
  ada = await app.person('ada')
})
afterAll(() => {
  eventLoop.stop()
  return app.close()
})

/** Blocks every turn of the event loop for 200 ms until `isEnough`. */
async function block(isEnough: () => boolean): Promise<void> {
  while (!isEnough()) {
    for (const until = Date.now() + 200; Date.now() < until; );
    await setImmediate()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(100)
}

test('a single long turn after an idle second does not count', async () => {
  await setTimeout(1500)
  for (const until = Date.now() + 1500; Date.now() < until; );
  await setTimeout(100)
  expect(await app.graphql(ada.token, '{ viewer { username } }')).toMatchObject({ status: 200 })
})

test('while the event loop is delayed, new work is refused and health checks are served', async () => {
  await until(() => !eventLoop.isBehind())
  let isEnough = false
  const blocked = block(() => isEnough)
  await until(eventLoop.isBehind)
  const [live, ready, page, rest, graphql] = await Promise.all([
    fetch(`${app.origin}/health/live`),
    fetch(`${app.origin}/health/ready`),
    fetch(`${app.origin}/`),
    app.rest(ada.token, 'POST', '/reply', '{'),
    app.graphql(ada.token, '{ viewer { username } }'),
  ])
  isEnough = true
  await blocked

  expect(live.status).toBe(200)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'the event loop is behind' })
  expect(page.status).toBe(503)
  expect(rest.status).toBe(503)
  expect(rest.headers.get('retry-after')).toBe('1')
  expect(rest.headers.get('api-version')).toBe('V26.05.28')
  expect(await rest.json()).toMatchObject({ code: 'UNAVAILABLE' })
  expect(graphql).toMatchObject({ status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
  expect(graphql.headers.get('retry-after')).toBe('1')

  await until(() => !eventLoop.isBehind())
  expect(await app.graphql(ada.token, '{ viewer { username } }')).toMatchObject({ status: 200 })
  expect((await fetch(`${app.origin}/health/ready`)).status).toBe(200)
})
