import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../src/engine/data/client.ts'
import { readConfig } from '../../../src/server/config.ts'
import { requestSlots } from '../../../src/server/server.ts'
import { type Answer, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { liftLockLimit } from '../../support/database/locks.ts'
import { tally } from '../../support/graphql/outcomes.ts'
import { sendRaw } from '../../support/http/raw-request.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

const patient = 60_000

let app: TestApp
/** The same service with one slot for each account, a short wait for it, and a short deadline for each request. */
let narrow: TestApp
let ada: Person
let bob: Person
beforeAll(async () => {
  app = await startApp({ slots: { ...requestSlots, waitTimeout: patient } })
  const timeouts = { ...readConfig({}).timeouts, response: 600 }
  narrow = await startApp({ slots: { atOnce: 1, waiting: 1, waitTimeout: 200 }, timeouts }, sharing(app))
  ada = await app.person('ada')
  bob = await app.person('bob')
  // Finds their tokens, so that nothing else needs the database.
  for (const each of [app, narrow]) for (const { token } of [ada, bob]) await ask(each, token)
})
afterAll(async () => {
  await narrow.close()
  await app.close()
})

const ask = (to: TestApp, token: string) => to.graphql(token, '{ __typename }')
const change = 'mutation { updateProfile(input: { bio: "Done" }) { viewer { bio } } }'

/** Does something while no write to ada's profile can end. */
async function whileHeld(action: () => Promise<void>): Promise<void> {
  await liftLockLimit(app.database)
  await app.database.write.prisma.$transaction(async (transaction: Client) => {
    await transaction.user.update({ where: { id: ada.id }, data: { bio: 'Held' } })
    await action()
  })
}

test('an account has eight requests in progress, 64 more wait, and one more is refused at once', async () => {
  let answers: Promise<Answer>[] = []
  await whileHeld(async () => {
    answers = Array.from({ length: 8 + 64 + 1 }, () => app.graphql(ada.token, change))
    const refused = await Promise.race(answers)
    expect(refused).toMatchObject({ status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await ask(app, bob.token)).toMatchObject({ status: 200 })
    expect((await fetch(`${app.origin}/`)).status).toBe(200)
    expect((await fetch(`${app.origin}/health/live`)).status).toBe(200)
  })
  const statuses = (await Promise.all(answers)).map(({ status }) => String(status))
  expect(tally(statuses)).toEqual({ 200: 72, 503: 1 })
})

test('a request that waits for too long is refused', async () => {
  await whileHeld(async () => {
    const held = narrow.graphql(ada.token, change)
    const waiting = await ask(narrow, ada.token)
    expect(waiting).toMatchObject({ status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
    expect(waiting.headers.get('retry-after')).toBe('1')
    await held
  })
})

test('a write that is not done in time gets OUTCOME_UNKNOWN, and gives its slot back', async () => {
  await whileHeld(async () => {
    const late = await narrow.graphql(ada.token, change)
    expect(late).toMatchObject({ status: 503, errors: [{ extensions: { code: 'OUTCOME_UNKNOWN' } }] })
    expect(late.headers.get('retry-after')).toBeNull()
    expect(await ask(narrow, ada.token)).toMatchObject({ status: 200 })
  })
})

test('a client that leaves while it waits keeps no slot', async () => {
  const single = await startApp({ slots: { atOnce: 1, waiting: 2, waitTimeout: patient } }, sharing(app))
  let answers: Promise<Answer>[] = []
  await whileHeld(async () => {
    const held = single.graphql(ada.token, change)
    const socket = await openSocket(single.origin)
    socket.write(
      `GET /graphql?query={__typename} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`.repeat(2),
    )
    socket.end()
    await once(socket.resume(), 'close')
    answers = [held, ask(single, ada.token)]
  })
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  await single.close()
})

describe('a slot is given back after', () => {
  const json = { 'content-type': 'application/json' }
  const query = (text: string) => `/graphql?query=${encodeURIComponent(text)}`
  test.each([
    ['HEAD', { method: 'HEAD', path: query('{ __typename }') }],
    ['a query', { method: 'GET', path: query('{ viewer { username } }') }],
    ['an invalid query', { method: 'GET', path: query('{ nothing }') }],
    ['a mutation with GET', { method: 'GET', path: query(change) }],
    ['a document that nobody has stored', { method: 'GET', path: `/graphql?documentId=${'a'.repeat(64)}` }],
    ['a body that is not JSON', { method: 'POST', path: '/graphql', headers: json, pieces: ['{'] }],
    ['a body that is too large', { method: 'POST', path: '/graphql', headers: json, pieces: ['x'.repeat(100_000)] }],
    ['a request of the REST API', { method: 'GET', path: '/api/v1/user' }],
    [
      'one for a post that does not exist',
      { method: 'GET', path: '/api/v1/post/019ab2c4-0000-7000-8000-000000000000' },
    ],
  ])('%s', async (_what, request) => {
    for (const _nth of [1, 2, 3]) await sendRaw(narrow.origin, { ...request, token: ada.token })
    expect(await ask(narrow, ada.token)).toMatchObject({ status: 200 })
  })
})
