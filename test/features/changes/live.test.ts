import { afterAll, beforeAll, expect, test } from 'vitest'
import { cursorFormat } from '../../../src/engine/compiler/page-range.ts'
import { removeOldChanges } from '../../../src/features/changes/stored-changes.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { changesAfter, settledCursor, untilSettled } from '../../support/graphql/changes.ts'
import { blocksOf, eventsOf, type LiveEvent, subscribe, take } from '../../support/graphql/events.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const uuidsOf = (events: readonly LiveEvent[]) => events.map(({ data }) => data?.changes.uuid)
const contentsOf = (events: readonly LiveEvent[]) => events.map(({ data }) => data?.changes.publication?.content)

/** Publishes posts of several people at the same time. */
async function publishMany(writers: readonly Person[], each: number): Promise<void> {
  const write = async (writer: Person, name: number) => {
    for (let nth = 0; nth < each; nth += 1) await publish(app, writer, { content: `Post ${name}.${nth}` })
  }
  await Promise.all(writers.map(write))
}

test('a subscription without a cursor sends what changes from now on, each with its cursor as the id of the event', async () => {
  await publish(app, ada)
  await untilSettled(app)
  const response = await subscribe(app, ada)
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/event-stream',
  })
  const events = eventsOf(response)
  const uuids = [await publish(app, ada), await publish(app, ada)]
  const found = await take(events, 2)
  expect(uuidsOf(found)).toEqual(uuids)
  for (const { id, data } of found) expect(id).toBe(data?.changes.cursor)
  await events.return(undefined)
})

/** A client that keeps the last id of its stream, as EventSource does, and connects again with it. */
function resumable(of: object) {
  let last: string | undefined
  const connect = async () => {
    const cut = new AbortController()
    const headers = last === undefined ? {} : { 'last-event-id': last }
    const blocks = blocksOf(await subscribe(app, ada, { variables: { of }, headers, signal: cut.signal }))
    const next = async () => {
      const { value } = await blocks.next()
      last = value?.id ?? last
      return value
    }
    return { next, cut: () => cut.abort() }
  }
  return { connect, last: () => last }
}

test('a stream that is cut before its first event loses nothing', async () => {
  const { connect } = resumable({ public: true })
  const first = await connect()
  expect(await first.next()).toEqual({ id: expect.stringMatching(cursorFormat) })
  first.cut()
  await publish(app, ada, { content: 'Meanwhile' })
  await untilSettled(app)
  const second = await connect()
  expect(await second.next()).toMatchObject({ event: 'next', data: expect.stringContaining('Meanwhile') })
  second.cut()
})

test('a stream tells its position as that moves, so it never expires, even if nothing matches', async () => {
  const stranger = await app.person()
  const { connect, last } = resumable({ users: [stranger.id] })
  const first = await connect()
  await first.next()
  const start = last()
  await publish(app, ada, { content: 'Old' })
  const moved = await first.next()
  expect(moved).toEqual({ id: await settledCursor(app, ada) })
  first.cut()
  await app.database.write.prisma.$executeRaw`update changes set at = at - interval '8 days'`
  await removeOldChanges(app.database, 7)
  const expired = await take(eventsOf(await subscribe(app, ada, { variables: { after: start } })), 1)
  expect(expired).toMatchObject([{ errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] }])
  const second = await connect()
  const uuid = await publish(app, stranger)
  expect(await second.next()).toEqual(moved)
  expect(await second.next()).toMatchObject({ data: expect.stringContaining(uuid) })
  second.cut()
})

test.each(['after', 'Last-Event-ID'])(
  'clients that resume with %s after cuts see each change once and in order, while others write',
  async (way) => {
    const start = await settledCursor(app, ada)
    const [writers, total] = [await people(app, 4), 40]
    const writing = publishMany(writers, total / writers.length)
    const follow = async (length: number) => {
      const seen: LiveEvent[] = []
      while (seen.length < total) {
        const last = seen.at(-1)?.id ?? start
        const resumed = way === 'after' ? { variables: { after: last } } : { headers: { 'last-event-id': last } }
        const cut = new AbortController()
        const response = await subscribe(app, ada, { ...resumed, signal: cut.signal })
        seen.push(...(await take(eventsOf(response), Math.min(length, total - seen.length))))
        cut.abort()
      }
      return uuidsOf(seen)
    }
    const followed = await Promise.all([7, 10, 16, total].map(follow))
    await writing
    const expected = (await changesAfter(app, ada, { public: true }, start)).map(({ uuid }) => uuid)
    expect(expected).toHaveLength(total)
    for (const uuids of followed) expect(uuids).toEqual(expected)
  },
)

test('the header wins over the argument, which a client repeats when it connects again', async () => {
  const after = await settledCursor(app, ada)
  await publish(app, ada, { content: 'First' })
  await publish(app, ada, { content: 'Second' })
  await untilSettled(app)
  const [first] = await take(eventsOf(await subscribe(app, ada, { variables: { after } })), 1)
  const resumed = await subscribe(app, ada, { variables: { after }, headers: { 'last-event-id': first?.id ?? '' } })
  expect(contentsOf(await take(eventsOf(resumed), 1))).toEqual(['Second'])
})

test('a stopping server cuts its streams, and another one continues after the last event', async () => {
  const old = await startApp({}, sharing(app))
  const start = await settledCursor(app, ada)
  const events = eventsOf(await subscribe(old, ada, { variables: { after: start } }))
  await publish(app, ada, { content: 'Before' })
  const seen = await take(events, 1)
  const [cut] = await Promise.allSettled([events.next(), old.stop()])
  expect(cut.status).toBe('rejected')
  await publish(app, ada, { content: 'Meanwhile' })
  const resumed = await subscribe(app, ada, { headers: { 'last-event-id': seen[0]?.id ?? '' } })
  expect(contentsOf([...seen, ...(await take(eventsOf(resumed), 1))])).toEqual(['Before', 'Meanwhile'])
})

test('subscribers of the same document see their own likes', async () => {
  const bob = await app.person()
  const uuid = await publish(app, bob)
  const after = await settledCursor(app, ada)
  const variables = { of: { publications: [uuid] }, after }
  await mutate(app, bob, 'setLike', { uuid, liked: true }, 'action')
  const [his, hers] = await Promise.all(
    [bob, ada].map(async (viewer) => take(eventsOf(await subscribe(app, viewer, { variables })), 1)),
  )
  const event = { kind: 'LIKED', uuid }
  expect(his).toMatchObject([{ data: { changes: { ...event, publication: { viewerHasLiked: true } } } }])
  expect(hers).toMatchObject([{ data: { changes: { ...event, publication: { viewerHasLiked: false } } } }])
})

test('a deleted publication is null in later events, which keep its uuid', async () => {
  const uuid = await publish(app, ada)
  const after = await settledCursor(app, ada)
  await mutate(app, ada, 'deletePost', { uuid }, 'publication { uuid }')
  const [event] = await take(eventsOf(await subscribe(app, ada, { variables: { after } })), 1)
  expect(event).toMatchObject({ data: { changes: { kind: 'DELETED', uuid, publication: null } } })
})

test('aliases, fragments and variables of a subscription are those of its page', async () => {
  const after = await settledCursor(app, ada)
  const uuid = await publish(app, ada, { content: 'Named' })
  const query = `subscription Live($after: String = "${after}", $with: Boolean!) { ...Root }
    fragment Root on Subscription { edges: changes(of: { home: true }, after: $after) { ...It node: kind } }
    fragment It on Change { cursor: uuid publication @include(if: $with) { ... on Post { content } } }`
  const response = await subscribe(app, ada, { query, variables: { of: undefined, with: true } })
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const [, json] = /^data: (.+)$/m.exec(chunk) ?? []
    if (json === undefined) continue
    const edges = { cursor: uuid, publication: { content: 'Named' }, node: 'PUBLISHED' }
    expect(JSON.parse(json)).toEqual({ data: { edges } })
    break
  }
})
