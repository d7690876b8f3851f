import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Passwords } from '../../src/domain/passwords.ts'
import { Sessions } from '../../src/domain/sessions.ts'
import { createContext } from '../../src/schema/context.ts'
import { patience } from '../../src/server/patience.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { onPostgres } from '../support/database.ts'
import { openSocket } from '../support/raw-socket.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp({ patience: { ...patience, answer: 1_000 } })
  ada = await app.person('ada')
})
afterAll(() => app.close())

const requests = [
  { method: 'GET', path: '/graphql?query={viewer{username}}', body: '' },
  { method: 'POST', path: '/graphql', body: JSON.stringify({ query: '{ viewer { username } }' }) },
  { method: 'POST', path: '/api/v1/post', body: JSON.stringify({ content: 'Hello' }) },
  { method: 'GET', path: '/api/v1/user', body: '' },
]

/** Runs `action` while no token can be looked up. */
async function whileTokensWait(action: () => Promise<unknown>): Promise<void> {
  await app.database.write.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe('lock table access_tokens in access exclusive mode')
    await action()
  })
}

describe.each(requests)('$method $path', ({ method, path, body }) => {
  const send = async () => {
    const socket = await openSocket(app.origin)
    const token = await app.token(ada, ['post.send', 'user.get'])
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, 'Connection: close']
    const type = 'Content-Type: application/json'
    return {
      socket,
      begin: () => socket.write([...lines, type, `Content-Length: ${body.length}`, '', body].join('\r\n')),
    }
  }

  test('is dropped when the client leaves before anything of it runs', async () => {
    const { socket, begin } = await send()
    const before = app.lines.length
    await whileTokensWait(async () => {
      begin()
      socket.end()
      await once(socket.resume(), 'close')
    })
    const answered = () => app.lines.slice(before).find(({ msg }) => msg === 'answered')
    while (!answered()) await setTimeout(20)
    expect(answered()).toMatchObject({ status: 400 })
  })

  test.skipIf(!onPostgres)('is refused when it takes too long', async () => {
    const { socket, begin } = await send()
    let received = ''
    await whileTokensWait(async () => {
      begin()
      for await (const chunk of socket) received += chunk
    })
    expect(received).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*"code":"UNAVAILABLE"/s)
  })
})

test('a context has the signal of its caller', () => {
  const { database } = app
  const leaving = new AbortController()
  const service = {
    database,
    sessions: new Sessions(database),
    passwords: new Passwords(),
    signUpIsOpen: true,
    avatar: 'gravatar' as const,
  }
  const context = createContext(service, undefined, 'id', { signal: leaving.signal, clientAddress: () => '127.0.0.1' })
  expect(context.signal.aborted).toBe(false)
  leaving.abort()
  expect(context.signal.aborted).toBe(true)
})
