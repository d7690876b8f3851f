import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { waitingLimits } from '../../../src/engine/data/pooled-backend.ts'
import { type Answer, type Person, startApp, type TestApp } from '../../support/app.ts'
import { liftLockLimit } from '../../support/database/locks.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

// A selection that is too expensive to be batched.
const held = '{ homeTimeline(first: 1) { nodes { author { badges { name } } } } }'
const free = '{ viewer { username } }'
const send = 'mutation { sendPost(input: { content: "Hello" }) { publication { content } } }'
const poolSize = 4
const unavailable = { status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] }

/** Expects data, or a refusal if a slow machine made it wait too long. */
function expectAnswered(answer: Answer): void {
  if (answer.status !== 200) expect(answer).toMatchObject(unavailable)
}

describe.runIf(onPostgres)('while the statements of one account are blocked', () => {
  let app: TestApp
  let admin: pg.Client
  // Within a transaction, pg_stat_activity does not change.
  let observer: pg.Client
  let drop: () => Promise<void>
  let ada: Person
  let bob: Person
  beforeAll(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    app = await startApp({}, (log) =>
      openDatabase({ kind: 'server', url: server.url, poolSize, opener: 'server' }, log),
    )
    admin = new pg.Client({ connectionString: server.url })
    observer = new pg.Client({ connectionString: server.url })
    await Promise.all([admin.connect(), observer.connect()])
    ada = await app.person('ada')
    bob = await app.person('bob')
    // Open all connections and run all code once before anything is blocked.
    const requests = [ada, bob].flatMap(({ token }) => [free, held, send].map((source) => app.graphql(token, source)))
    for (const { status } of await Promise.all(requests)) expect(status).toBe(200)
  })
  beforeEach(() => liftLockLimit(app.database, poolSize))
  afterAll(async () => {
    await Promise.all([admin.end(), observer.end()])
    await app.close()
    await drop()
  })

  async function waitingForLock(): Promise<number> {
    const { rows } = await observer.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    return rows.length
  }

  /** Does something while this many requests of ada's wait for a lock, and returns their responses. */
  async function whileHeldUp(count: number, action: () => Promise<void>): Promise<Answer[]> {
    await admin.query('BEGIN; LOCK TABLE badges IN ACCESS EXCLUSIVE MODE')
    const requests = Promise.all(Array.from({ length: count }, () => app.graphql(ada.token, held)))
    try {
      await expect.poll(waitingForLock, { timeout: 5_000 }).toBeGreaterThan(0)
      await action()
    } finally {
      await admin.query('ROLLBACK')
    }
    return requests
  }

  test('reads and writes of other accounts are served', async () => {
    const answers = await whileHeldUp(20, async () => {
      expect(await waitingForLock()).toBeLessThanOrEqual(2)
      expect(await app.graphql(bob.token, free)).toMatchObject({ data: { viewer: { username: 'bob' } } })
      expect(await app.graphql(bob.token, send)).toMatchObject({ status: 200, errors: [] })
    })
    for (const answer of answers) expectAnswered(answer)
  })

  test('the server is ready and looks up new tokens', async () => {
    const carol = await app.person('carol')
    let statements: Promise<unknown>[] = []
    await whileHeldUp(1, async () => {
      statements = Array.from({ length: poolSize }, () =>
        app.database.write.run({ text: 'SELECT name FROM badges', values: [], lockKey: undefined }),
      )
      await expect.poll(waitingForLock, { timeout: 5_000 }).toBe(poolSize)
      expect((await fetch(`${app.origin}/health/ready`)).status).toBe(200)
      expect((await app.graphql(carol.token, '{ __typename }')).status).toBe(200)
    })
    await Promise.all(statements)
  })

  test('a limited number of its requests wait, and further ones are refused quickly', async () => {
    // While other accounts count as active, most of its requests wait before they need the database.
    await setTimeout(1_100)
    let refused: Answer[] = []
    const answers = await whileHeldUp(130, async () => {
      const begun = performance.now()
      const further = Array.from({ length: 5 }, () => app.graphql(ada.token, held))
      await Promise.race(further)
      expect(performance.now() - begun).toBeLessThan(waitingLimits.waitTimeout)
      refused = await Promise.all(further)
    })
    for (const answer of refused) {
      expect(answer).toMatchObject(unavailable)
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    for (const answer of answers) expectAnswered(answer)
  })

  const surfaces = {
    GraphQL: `/graphql?query=${encodeURIComponent(held)}`,
    REST: '/api/v1/user/{uuid}/posts/4000',
  }
  const bodies = {
    'without a body': '\r\n',
    'with a large body that is not needed': `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(65_500)}`,
  }
  const left = Object.entries(surfaces).flatMap(([surface, path]) =>
    Object.entries(bodies).map(([how, body]) => ({ surface, path, how, body })),
  )

  test.each(left)(
    'the statement of a $surface request $how is cancelled when it disconnects',
    async ({ path, body }) => {
      await admin.query('BEGIN; LOCK TABLE publications IN ACCESS EXCLUSIVE MODE')
      const socket = await openSocket(app.origin)
      const lines = [`GET ${path.replace('{uuid}', ada.id)} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${ada.token}`]
      await new Promise((sent) => socket.write(`${lines.join('\r\n')}\r\n${body}`, sent))
      await expect.poll(waitingForLock, { timeout: 10_000 }).toBe(1)
      socket.destroy()
      // Earlier than the time limit of the statement.
      await expect.poll(waitingForLock, { timeout: 2_500 }).toBe(0)
      await admin.query('ROLLBACK')
    },
  )

  test('its statements end after 3 seconds, and requests that wait for 2 are refused', async () => {
    const begun = performance.now()
    await admin.query('BEGIN; LOCK TABLE badges IN ACCESS EXCLUSIVE MODE')
    const requests = Array.from({ length: 6 }, () => app.graphql(ada.token, held))
    await Promise.race(requests)
    const first = performance.now() - begun
    const answers = await Promise.all(requests)
    await admin.query('ROLLBACK')
    for (const answer of answers) expect(answer).toMatchObject(unavailable)
    expect(first).toBeGreaterThan(1_900)
    expect(performance.now() - begun).toBeGreaterThan(2_900)
    expect(performance.now() - begun).toBeLessThan(8_000)
    expect(await app.graphql(ada.token, held)).toMatchObject({ status: 200, errors: [] })
  })
})
