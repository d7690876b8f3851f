import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { maxScan } from '../../../src/engine/compiler/limits.ts'
import { waitingForChanges } from '../../../src/engine/data/change-watch.ts'
import { blocks, follows } from '../../../src/features/base/relations.ts'
import { readConfig } from '../../../src/server/config.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { openSocket } from '../../support/http/raw-socket.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const changesIn = z.object({ changes: z.array(z.looseObject({ kind: z.string(), uuid: z.string() })) })

async function waitFor(prefer: string, after: string, from = app, { token } = ada) {
  const response = await from.rest(token, 'GET', `/changes?after=${after}`, undefined, { prefer })
  const applied = response.headers.get('preference-applied')
  return { status: response.status, applied, body: await response.json() }
}

/** Waits until so many more requests have read an empty page. */
async function untilRead(count: number, action: () => unknown) {
  const before = app.lines.length
  action()
  const reads = () => app.lines.slice(before).filter(({ statement }) => statement?.includes('known_change'))
  await vi.waitFor(() => expect(reads()).toHaveLength(count))
}

test.each([
  ['wait=25', 'wait=25'],
  ['respond-async, Wait = "7"; x=1', 'wait=7'],
  ['wait=9999999999', 'wait=25'],
  ['wait=1.5', 'wait=1'],
  ['wait="3."', 'wait=3'],
  ['wait=0', null],
  ['wait=-1', null],
  ['respond-async', null],
])('changes that exist are returned at once with Prefer: %s', async (prefer, applied) => {
  const after = await settledCursor(app, ada)
  const uuid = await publish(app, ada)
  await untilSettled(app)
  expect(await waitFor(prefer, after)).toMatchObject({ status: 200, applied, body: { changes: [{ uuid }] } })
})

test('a request that waits gets a change as soon as there is one, of another process too', async () => {
  const other = await startApp({}, sharing(app))
  const after = await settledCursor(app, ada)
  const waiting = waitFor('wait=25', after)
  const uuid = await publish(other, ada)
  expect(changesIn.parse((await waiting).body).changes).toMatchObject([{ uuid }])
  await other.close()
})

test('requests that wait, in any process, get a block that begins meanwhile, and nothing of the other after it', async () => {
  const [viewer, other] = [await app.person(), await app.person()]
  await setRelation(app, viewer, follows, other.id)
  const elsewhere = await startApp({}, sharing(app))
  for (const from of [app, elsewhere]) {
    const after = await settledCursor(app, viewer)
    let waiting: Promise<{ body: unknown }> | undefined
    await untilRead(1, () => {
      waiting = waitFor('wait=25', after, from, viewer)
    })
    await setRelation(app, other, blocks, viewer.id)
    const uuid = await publish(app, other)
    const { changes } = changesIn.parse((await waiting)?.body)
    expect(changes.map((change) => change.kind)).toContain('blocked')
    await untilSettled(app)
    const later = changesIn.parse((await waitFor('wait=0', after, from, viewer)).body).changes
    expect([...changes, ...later].map((change) => change.uuid)).not.toContain(uuid)
    await setRelation(app, other, blocks, viewer.id, false)
    await setRelation(app, viewer, follows, other.id)
  }
  await elsewhere.close()
})

test('a request that waits gets an empty page when the time is over, whatever the deadline of responses', async () => {
  const timeouts = { ...readConfig({}).timeouts, response: 500 }
  const brief = await startApp({ timeouts }, sharing(app))
  const after = await settledCursor(brief, ada)
  expect(await waitFor('wait=1', after, brief)).toEqual({ status: 200, applied: 'wait=1', body: { changes: [] } })
  expect(brief.lines.filter(({ msg, level }) => msg === 'answered' && level > 30)).toEqual([])
  await brief.close()
})

test('an empty page is returned at once if more changes follow', async () => {
  const stranger = await app.person()
  const after = await settledCursor(app, ada)
  await app.database.write.prisma.$executeRaw`
    select send_publication(publication => gen_random_uuid(), parent => null, author => ${stranger.id}::uuid,
      application => null, new_content => 'Hello', new_locked => false, new_audience => null, new_warning => null, new_language => null, quoted => null, new_quotable => true, words => '', entities => null) from generate_series(0, ${maxScan}::int)`
  await untilSettled(app)
  expect(await waitFor('wait=25', after)).toEqual({ status: 200, applied: 'wait=25', body: { changes: [] } })
})

test('clients that disconnect wait no longer, and what they waited for counts as no time in the log', async () => {
  const small = await startApp({ slots: { atOnce: 1, waiting: 0, waitTimeout: 0 } }, sharing(app))
  const bob = await app.person()
  const after = await settledCursor(app, bob)
  const request =
    `GET /api/v1/changes?after=${after} HTTP/1.1\r\nHost: rookery\r\nAuthorization: Bearer ` +
    `${bob.token}\r\nPrefer: wait=25\r\n\r\n`
  const sockets = await Promise.all(Array.from({ length: waitingForChanges }, () => openSocket(small.origin)))
  for (const socket of sockets) {
    await untilRead(1, () => socket.write(request))
    // It has its slot until it waits.
    await vi.waitFor(async () => expect((await small.graphql(bob.token, '{ __typename }')).status).toBe(200))
  }
  expect((await waitFor('wait=1', after, small, bob)).status).toBe(503)
  letTimePass()
  for (const socket of sockets) socket.destroy()
  const left = () => small.lines.filter(({ status }) => status === 499)
  await vi.waitFor(() => expect(left()).toHaveLength(sockets.length))
  for (const { level } of left()) expect(level).toBe(30)
  const waiting = vi.waitFor(async () => expect((await waitFor('wait=25', after, small, bob)).status).toBe(200), 5_000)
  await publish(app, bob)
  await waiting
  await small.close()
})

test('waiting requests leave others their slots, are limited for each account, and end when the server stops', async () => {
  const slots = { atOnce: 1, waiting: 0, waitTimeout: 0 }
  let isStopping = false
  const small = await startApp({ slots, requestsPerAddress: 2, isStopping: () => isStopping }, sharing(app))
  const after = await settledCursor(small, ada)
  const waiting: Promise<unknown>[] = []
  const read = async () => (await small.graphql(ada.token, '{ __typename }')).status
  for (let count = 0; count < waitingForChanges; count += 1) {
    waiting.push(waitFor('wait=25', after, small))
    // It has its slots until it waits.
    await vi.waitFor(async () => expect(await read()).toBe(200), { interval: 5 })
  }
  await vi.waitFor(async () => {
    const refused = await small.rest(ada.token, 'GET', `/changes?after=${after}`, undefined, { prefer: 'wait=25' })
    expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' })
  })
  const bob = await app.person('bob')
  const others = waitFor('wait=25', after, small, bob)
  await vi.waitFor(async () => expect(await read()).toBe(200), { interval: 5 })
  isStopping = true
  await small.stop()
  for (const each of [...waiting, others])
    expect(await each).toEqual({ status: 200, applied: 'wait=25', body: { changes: [] } })
})

test.each([
  ['once there is a change', () => publish(app, ada)],
  ['within seconds', async () => {}],
])('a token that was revoked while its request waited is refused %s', async (_when, end) => {
  const after = await settledCursor(app, ada)
  const own = {
    ...ada,
    token: await app.token(ada, ['post.get', 'reply.get', 'user.get', 'user.following.get', 'user.followers.get']),
  }
  let waiting: Promise<unknown> | undefined
  await untilRead(1, () => {
    waiting = waitFor('wait=25', after, app, own)
  })
  const { id } = await app.database.write.prisma.accessToken.findFirstOrThrow({ orderBy: { id: 'desc' } })
  const revoked = await mutate(
    app,
    ada,
    'revokeAccessToken',
    { id: globalIdOf('AccessToken', id) },
    'accessToken { id }',
  )
  expect(revoked.errors).toEqual([])
  await end()
  expect(await waiting).toMatchObject({ status: 401, applied: null })
})
