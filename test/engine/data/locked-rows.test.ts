import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TokenCache, type Viewer } from '../../../src/engine/auth/viewers.ts'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { findViewer } from '../../../src/features/accounts/find-viewer.ts'
import { likePublication } from '../../../src/features/base/permissions.ts'
import { likes } from '../../../src/features/base/relations.ts'
import { setRelation } from '../../../src/features/relations/mutations.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { people, publish } from '../../support/graphql/publish.ts'

describe.runIf(onPostgres)('while another connection locks a publication', () => {
  let app: TestApp
  let other: pg.Client
  let drop: () => Promise<void>
  let crowd: Viewer[]
  let free: string[]
  let locked: string
  beforeAll(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    other = new pg.Client({ connectionString: server.url })
    await other.connect()
    app = await startApp({}, (log) =>
      openDatabase({ kind: 'server', url: server.url, poolSize: 10, opener: 'server' }, log),
    )
    const viewers = new TokenCache((token) => findViewer(app.database, token))
    const found = await Promise.all((await people(app, 4)).map(({ token }) => viewers.of(token)))
    crowd = found.filter((viewer) => viewer !== undefined)
    const author = await app.person()
    locked = await publish(app, author)
    free = await Promise.all(Array.from({ length: 8 }, () => publish(app, author)))
  })
  afterAll(async () => {
    await other.end()
    await app.close()
    await drop()
  })

  /** Likes all publications at once. Returns the outcomes in the order in which they came. */
  async function likeAll(publications: readonly string[]): Promise<string[]> {
    const outcomes: string[] = []
    const wanted = crowd.flatMap((viewer) => publications.map((publication) => ({ viewer, publication })))
    await Promise.all(
      wanted.map(({ viewer, publication: uuid }) =>
        setRelation(app.database, viewer, { relation: likes, uuid, wanted: true, permission: likePublication }).then(
          (outcome) => outcomes.push(outcome),
          (error: pg.DatabaseError) => outcomes.push(String(error.code)),
        ),
      ),
    )
    return outcomes
  }

  /** The number of statements that wait for a lock. Asked outside the transaction, in which it would not change. */
  async function waitingForLock(): Promise<number> {
    const text = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    return (await app.database.runReserved(text, [])).length
  }

  const answered = (count: number, outcome: string): string[] => Array(count).fill(outcome)

  test('likes of other posts succeed, and its likes time out together', async () => {
    await other.query('BEGIN')
    await other.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [locked])
    const outcomes: string[] = []
    const statements = await app.statementsOf(async () => {
      const first = likeAll([locked, ...free])
      // The first likes now wait apart from the others.
      await sleep(500)
      const later = likeAll([locked])
      outcomes.push(...(await first))
      expect(await later).toEqual(answered(4, '55P03'))
    })
    await other.query('COMMIT')
    expect(outcomes).toEqual([...answered(4 * free.length, 'liked'), ...answered(4, '55P03')])
    // The batch, and one for each post.
    expect(statements.filter((text) => text.includes('set_like'))).toHaveLength(1 + free.length + 1)
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('its likes succeed afterwards, and share statements with others again', async () => {
    for (const publications of [[locked], [locked, ...free]]) {
      const statements = await app.statementsOf(async () => {
        expect(await likeAll(publications)).toEqual(answered(4 * publications.length, 'liked'))
      })
      expect(statements.filter((text) => text.includes('set_like'))).toHaveLength(1)
    }
  })

  test('replies to it do not delay what others write', async () => {
    const writers = await people(app, 3)
    const reader = await app.person()
    await other.query('BEGIN')
    await other.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [locked])
    let refused = 0
    const replies = writers.map(async ({ token }) => {
      const { status } = await app.rest(token, 'POST', '/post', { parent: locked, content: 'Me too' })
      refused += 1
      return status
    })
    for (let nth = 0; nth < 5; nth += 1) {
      expect((await app.rest(reader.token, 'POST', '/post', { content: 'Hello' })).status).toBe(200)
      expect((await app.rest(reader.token, 'POST', '/post', { parent: free[0], content: 'Hello' })).status).toBe(200)
    }
    expect(refused).toBe(0)
    expect(await Promise.all(replies)).toEqual([503, 503, 503])
    await other.query('ROLLBACK')
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('writes with an Idempotency-Key wait for it on half of the connections at most', async () => {
    const writers = await people(app, 4)
    await other.query('BEGIN')
    await other.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [locked])
    const writes = writers.flatMap(({ token }) =>
      [1, 2, 3, 4].map((nth) =>
        app.rest(token, 'POST', `/post/${locked}/like`, undefined, { 'Idempotency-Key': `like-${nth}` }),
      ),
    )
    await expect.poll(waitingForLock).toBeGreaterThan(0)
    const waiting: number[] = []
    for (let look = 0; look < 10; look += 1) {
      waiting.push(await waitingForLock())
      await sleep(50)
    }
    expect(Math.max(...waiting)).toBeLessThanOrEqual(5)
    await other.query('COMMIT')
    for (const { status } of await Promise.all(writes)) expect([200, 503]).toContain(status)
    expect(await wrongCounters(app.database)).toEqual([])
  })
})
