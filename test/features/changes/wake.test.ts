import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { onPostgres, poolSize } from '../../support/database.ts'
import { settledCursor } from '../../support/graphql/changes.ts'
import { eventsOf, subscribe, take } from '../../support/graphql/events.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  // The time to look without a reason never comes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterAll(async () => {
  vi.useRealTimers()
  await app.close()
})

/** The uuids of the next changes that a subscriber gets who waits for them. */
async function nextChanges(count: number, write: () => Promise<unknown>) {
  const events = eventsOf(await subscribe(app, ada, { variables: { after: await settledCursor(app, ada) } }))
  const [found] = await Promise.all([take(events, count), write()])
  await events.return(undefined)
  return found.map(({ data }) => data?.changes.uuid)
}

test('streams get what is written in their process at once', async () => {
  const written: string[] = []
  const seen = await nextChanges(3, async () => {
    for (let nth = 0; nth < 3; nth += 1) written.push(await publish(app, ada))
  })
  expect(seen).toEqual(written)
})

// The embedded database has one connection, and one process.
test.runIf(onPostgres)('streams get a change that an open transaction holds back once that ends', async () => {
  const written: string[] = []
  const seen = await nextChanges(1, () =>
    app.database.write.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`select pg_current_xact_id()`
      written.push(await publish(app, ada))
      const before = app.lines.length
      const looked = () => app.lines.slice(before).some(({ statement }) => statement?.includes('"isMore"'))
      while (!looked()) await new Promise(setImmediate)
    }),
  )
  expect(seen).toEqual(written)
})

test.runIf(onPostgres)('streams get what is written in another process at once', async () => {
  const [row] = await app.database.runReserved<{ name: string }>('select current_database() as name', [])
  const url = new URL(`/${row?.name}`, process.env.DATABASE_URL).href
  const other = await startApp({}, (log) => openDatabase({ kind: 'server', url, poolSize, opener: 'server' }, log))
  const written: string[] = []
  const seen = await nextChanges(1, async () => written.push(await publish(other, ada)))
  expect(seen).toEqual(written)
  await other.close()
})
