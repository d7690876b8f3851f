import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { readConfig } from '../../../src/server/config.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { whileLocked } from '../../support/database/locks.ts'
import { onPostgres } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

let app: TestApp
/** The same service with a short time limit for responses. */
let hasty: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  hasty = await startApp({ timeouts: { ...readConfig({}).timeouts, response: 500 } }, sharing(app))
  ada = await app.person('ada')
})
afterAll(async () => {
  await hasty.close()
  await app.close()
})

const requests = [
  { method: 'GET', path: '/graphql?query={viewer{username}}', body: '' },
  { method: 'POST', path: '/graphql', body: JSON.stringify({ query: '{ viewer { username } }' }) },
  { method: 'POST', path: '/api/v1/post', body: JSON.stringify({ content: 'Hello' }) },
  { method: 'GET', path: '/api/v1/user', body: '' },
]

/** Runs `action` while no token can be looked up. */
const whileTokensWait = (action: () => Promise<unknown>) => whileLocked(app, 'access_tokens', action)

describe.each(requests)('$method $path', ({ method, path, body }) => {
  const send = async ({ origin }: TestApp) => {
    const socket = await openSocket(origin)
    const token = await app.token(ada, ['post.send', 'user.get'])
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, 'Connection: close']
    const type = 'Content-Type: application/json'
    return {
      socket,
      begin: () => socket.write([...lines, type, `Content-Length: ${body.length}`, '', body].join('\r\n')),
    }
  }

  test('is dropped if the client disconnects before it starts', async () => {
    const { socket, begin } = await send(app)
    const before = app.lines.length
    await whileTokensWait(async () => {
      begin()
      socket.end()
      await once(socket.resume(), 'close')
    })
    const answered = () => app.lines.slice(before).find(({ msg }) => msg === 'answered')
    while (!answered()) await setTimeout(20)
    expect(answered()).toMatchObject({ status: 499 })
  })

  test.skipIf(!onPostgres)('is refused if it takes too long', async () => {
    const { socket, begin } = await send(hasty)
    let received = ''
    await whileTokensWait(async () => {
      begin()
      for await (const chunk of socket) received += chunk
    })
    expect(received).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*took too long.*"code":"UNAVAILABLE"/s)
  })
})

test('a write that was refused because it took too long is not applied afterwards', async () => {
  const token = await app.token(ada, [...commonScopes])
  const post = await publish(app, ada)
  await whileTokensWait(async () => {
    expect(await hasty.rest(token, 'POST', `/post/${post}/like`)).toMatchObject({ status: 503 })
  })
  await expect.poll(async () => (await hasty.graphql(token, '{ __typename }')).status).toBe(200)
  await setTimeout(200)
  expect(await app.database.write.prisma.like.count({ where: { publicationId: post } })).toBe(0)
})
