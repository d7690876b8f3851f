import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ChangeWatch, waitingForChanges } from '../../../src/engine/data/change-watch.ts'
import { addDocuments } from '../../../src/engine/graphql/stored-documents.ts'
import type { Scope } from '../../../src/engine/scopes.ts'
import { readConfig } from '../../../src/server/config.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { makeToken, revoke } from '../../support/graphql/access-tokens.ts'
import { settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { eventsOf, liveChanges, subscribe, take } from '../../support/graphql/events.ts'
import { publish } from '../../support/graphql/publish.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

/** What a subscription that cannot begin is answered. */
async function refusal(response: Response) {
  const events: unknown[] = []
  for await (const event of eventsOf(response)) events.push(event)
  const { status, headers } = response
  return { status, type: headers.get('content-type'), retry: headers.get('retry-after'), events }
}
const refused = (code: string) => ({
  status: 200,
  type: 'text/event-stream',
  events: [{ event: 'next', errors: [{ extensions: { code } }] }, { event: 'complete' }],
})

test('streams have comments as heartbeats and are not compressed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const response = await subscribe(app, ada, { headers: { 'accept-encoding': 'br, gzip' } })
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes(':\n\n:\n\n')) break
    vi.advanceTimersByTime(12_000)
  }
  expect(text).toMatch(/^id: [\w-]{22}\n\n:\n\n:\n\n$/)
})

test('a stream whose client leaves before it begins is released', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const quitter = await startApp({}, sharing(app))
  const cut = new AbortController()
  const entering = vi.spyOn(ChangeWatch.prototype, 'enter').mockImplementationOnce(async () => {
    cut.abort()
    await vi.waitFor(() => expect(quitter.lines).toMatchObject([{ status: 499 }]))
    return () => undefined
  })
  await expect(subscribe(quitter, ada, { signal: cut.signal })).rejects.toThrow()
  await vi.waitFor(() => expect(entering).toHaveResolved())
  entering.mockRestore()
  await expect.poll(() => vi.getTimerCount()).toBe(0)
  await quitter.stop()
})

test('GET is streamed too', async () => {
  const after = await settledCursor(app, ada)
  const uuid = await publish(app, ada)
  const parameters = new URLSearchParams({
    query: liveChanges,
    variables: JSON.stringify({ of: { public: true }, after }),
  })
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${ada.token}` }
  const response = await fetch(`${app.origin}/graphql?${parameters}`, { headers })
  expect(await take(eventsOf(response), 1)).toMatchObject([{ data: { changes: { uuid } } }])
})

test.each(['*/*', 'application/json', 'application/graphql-response+json', 'text/event-stream;q=0, application/json'])(
  'a client that accepts %s is told to accept events',
  async (accept) => {
    const response = await subscribe(app, ada, { headers: { accept } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ message: expect.stringContaining('text/event-stream'), extensions: { code: 'BAD_REQUEST' } }],
    })
  },
)

test.each(['text/event-stream, application/json', 'text/event-stream, */*', 'text/event-stream, application/*;q=0.1'])(
  'HEAD is refused, and queries stay JSON, for clients that accept %s',
  async (accept) => {
    const headers = { accept, authorization: `Bearer ${ada.token}` }
    const path = `${app.origin}/graphql?query=`
    const subscription = encodeURIComponent('subscription { changes(of: { public: true }) { cursor } }')
    expect((await fetch(path + subscription, { method: 'HEAD', headers })).status).toBe(400)
    expect(await (await fetch(`${path}{__typename}`, { headers })).json()).toEqual({ data: { __typename: 'Query' } })
  },
)

test.each(['GET', 'POST'])(
  'clients that take nothing but events get the results of queries as events too, with %s',
  async (method) => {
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
    }
    const query = '{ viewer { uuid } }'
    const send = () =>
      method === 'GET'
        ? fetch(`${app.origin}/graphql?query=${encodeURIComponent(query)}`, { headers })
        : fetch(`${app.origin}/graphql`, { method, headers, body: JSON.stringify({ query }) })
    for (const _ of ['first', 'again']) {
      const response = await send()
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(await response.text()).toContain(`event: next\ndata: {"data":{"viewer":{"uuid":"${ada.id}"}}}\n\n`)
    }
  },
)

test.each([
  ['without a token', () => '', {}, refused('UNAUTHENTICATED')],
  ['with a token that lacks scopes', () => app.token(ada, ['post.get']), {}, refused('INSUFFICIENT_SCOPE')],
  [
    'that selects more than its scopes permit',
    () => app.token(ada, ['post.get', 'reply.get']),
    { query: 'subscription { changes(of: { public: true }) { actor { uuid } } }', variables: { of: undefined } },
    refused('INSUFFICIENT_SCOPE'),
  ],
  ['with a wrong filter', () => ada.token, { variables: { of: {} } }, refused('VALIDATION_FAILED')],
  ['with a wrong variable', () => ada.token, { variables: { of: null } }, refused('VALIDATION_FAILED')],
  ['with a malformed cursor', () => ada.token, { variables: { after: 'none' } }, refused('VALIDATION_FAILED')],
  ['with an empty cursor', () => ada.token, { variables: { after: '' } }, refused('VALIDATION_FAILED')],
  ['with a malformed last event', () => ada.token, { headers: { 'last-event-id': 'x' } }, refused('VALIDATION_FAILED')],
  [
    'from an expired cursor',
    () => ada.token,
    { variables: { after: 'AAAAAAAAAAAAAAAAAAAAAA' } },
    refused('CURSOR_EXPIRED'),
  ],
  ['that does not parse', () => ada.token, { query: 'subscription {' }, refused('BAD_REQUEST')],
  [
    'with two fields',
    () => ada.token,
    {
      query: '{ a: changes(of: { public: true }) { kind } b: changes(of: { public: true }) { kind } }'.replace(
        '{',
        'subscription {',
      ),
    },
    refused('VALIDATION_FAILED'),
  ],
  [
    'with a condition on its field',
    () => ada.token,
    { query: 'subscription ($of: ChangeFilter!, $if: Boolean!) { changes(of: $of) @include(if: $if) { kind } }' },
    refused('VALIDATION_FAILED'),
  ],
  [
    'that costs too much',
    () => ada.token,
    {
      query:
        'subscription ($of: ChangeFilter!) { changes(of: $of) { actor { posts(first: 100) { nodes { ' +
        'replies(first: 100) { nodes { content } } } } } } }',
    },
    refused('VALIDATION_FAILED'),
  ],
])('a subscription %s is refused with an event', async (_what, token, more, expected) => {
  expect(await refusal(await subscribe(app, { token: await token() }, more))).toMatchObject(expected)
})

test('streams of an account are limited, hold no slots of requests, and give theirs back when the client leaves', async () => {
  const slots = { atOnce: 1, waiting: 0, waitTimeout: 0 }
  const small = await startApp({ slots, requestsPerAddress: 1 }, sharing(app))
  const cuts: AbortController[] = []
  for (let count = 0; count < waitingForChanges; count += 1) {
    const cut = new AbortController()
    cuts.push(cut)
    expect((await subscribe(small, ada, { signal: cut.signal })).status).toBe(200)
  }
  expect(await refusal(await subscribe(small, ada))).toMatchObject({
    ...refused('UNAVAILABLE'),
    status: 503,
    retry: '1',
  })
  expect((await small.graphql(ada.token, '{ __typename }')).status).toBe(200)
  const bob = await small.person()
  const other = await subscribe(small, bob)
  expect(other.status).toBe(200)
  await other.body?.cancel()
  for (const cut of cuts) cut.abort()
  await vi.waitFor(async () => {
    const again = await subscribe(small, ada)
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })
  await small.close()
})

const own: readonly Scope[] = ['post.get', 'reply.get']

test.each([
  ['revoked', 'UNAUTHENTICATED', () => {}],
  ['revoked by another process', 'UNAUTHENTICATED', letTimePass],
])('the stream of a token that was %s ends with an error', async (_how, code, pass) => {
  const other = await startApp({}, sharing(app))
  const { token, id } = await makeToken(app, ada.token, { scopes: ['POST_GET', 'REPLY_GET'] })
  const events = eventsOf(await subscribe(pass === letTimePass ? other : app, { token }))
  const [end] = await Promise.all([take(events, 3), revoke(app, ada.token, id).then(pass)])
  expect(end).toMatchObject(refused(code).events)
  await other.close()
})

test('the stream of a suspended account ends with an error, and that of an expired token', async () => {
  const bob = await app.person()
  const expiring = await app.token(bob, own, { expiresAt: new Date(Date.now() + 500) })
  const [suspended, expired] = [
    eventsOf(await subscribe(app, bob)),
    eventsOf(await subscribe(app, { token: expiring })),
  ]
  expect(await take(expired, 3)).toMatchObject(refused('UNAUTHENTICATED').events)
  await app.database.write.prisma.user.update({ where: { id: bob.id }, data: { suspendedAt: new Date() } })
  letTimePass()
  expect(await take(suspended, 3)).toMatchObject(refused('ACCOUNT_SUSPENDED').events)
})

test('each page costs its points, and a stream whose budget is used up continues later', async () => {
  const poor = await startApp({ budgets: budgets({ points: 1_500, seconds: 2 }) }, sharing(app))
  const after = await settledCursor(poor, ada)
  const events = eventsOf(await subscribe(poor, ada, { variables: { after } }))
  const uuid = await publish(app, ada)
  const answer = async () =>
    (await poor.graphql(ada.token, '{ changes(of: { public: true }) { nodes { kind } } }')).errors
  await vi.waitFor(async () => expect(await answer()).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]))
  expect(await take(events, 1)).toMatchObject([{ data: { changes: { uuid } } }])
  await poor.close()
})

test('a stream whose budget is used up is cut when the server stops', async () => {
  const poor = await startApp({ budgets: budgets({ points: 1_500, seconds: 3_600 }) }, sharing(app))
  const events = eventsOf(await subscribe(poor, ada))
  while (poor.lines.every(({ code }) => code !== 'RATE_LIMITED')) await poor.graphql(ada.token, '{ changeCursor }')
  const pausing = vi.spyOn(ChangeWatch.prototype, 'pause')
  await publish(app, ada)
  await vi.waitFor(() => expect(pausing).toHaveBeenCalled())
  const [cut] = await Promise.allSettled([events.next(), poor.stop()])
  expect(cut.status).toBe('rejected')
  pausing.mockRestore()
})

test('a client that does not read is disconnected', async () => {
  const timeouts = { ...readConfig({}).timeouts, delivery: 300 }
  const hasty = await startApp({ timeouts }, sharing(app))
  const after = await settledCursor(app, ada)
  // More than the buffers of the connection hold.
  await app.database.write.prisma.$executeRaw`
    select send_publication(publication => gen_random_uuid(), parent => null, author => ${ada.id}::uuid,
      application => null, new_content => repeat('€', 500), new_locked => false, new_audience => null, new_warning => null, new_language => null, quoted => null, new_quotable => true, words => '', entities => null) from generate_series(1, 300)`
  await untilSettled(app)
  const copies = Array.from({ length: 30 }, (_, nth) => `copy${nth}: content`).join(' ')
  const query = `subscription { changes(of: { public: true }, after: "${after}") { publication { ${copies} } } }`
  const headers = `Host: rookery\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${ada.token}`
  const socket = await openSocket(hasty.origin)
  socket.write(`GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\n${headers}\r\n\r\n`)
  // Without reading, only writing shows that a connection is closed.
  const writing = setInterval(() => socket.write('\r\n'), 50)
  await vi.waitFor(() => expect(socket.destroyed).toBe(true), 10_000)
  clearInterval(writing)
  await hasty.close()
})

test('where only trusted documents run, so do subscriptions', async () => {
  const trusted = await startApp({ onlyTrustedDocuments: true }, sharing(app))
  expect(await refusal(await subscribe(trusted, ada))).toMatchObject(refused('DOCUMENT_NOT_TRUSTED'))
  await addDocuments(app.database, [{ source: liveChanges, operations: [] }])
  letTimePass()
  const after = await settledCursor(app, ada)
  const uuid = await publish(app, ada)
  const events = eventsOf(await subscribe(trusted, ada, { variables: { after } }))
  expect(await take(events, 1)).toMatchObject([{ data: { changes: { uuid } } }])
  await events.return(undefined)
  await trusted.close()
})
