import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/data/database.ts'
import { setLike } from '../../src/domain/likes.ts'
import { likePublication } from '../../src/domain/permissions.ts'
import { type Session, Sessions } from '../../src/domain/sessions.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { wrongCounters } from '../support/counters.ts'
import { createServerDatabase, onPostgres } from '../support/database.ts'
import { people, publish } from '../support/publish.ts'

describe.runIf(onPostgres)('while another connection locks a publication', () => {
  let app: TestApp
  let other: pg.Client
  let drop: () => Promise<void>
  let crowd: Session[]
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
    const sessions = new Sessions(app.database)
    const found = await Promise.all((await people(app, 4)).map(({ token }) => sessions.of(token)))
    crowd = found.filter((session) => session !== undefined)
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
    const likes = crowd.flatMap((session) => publications.map((publication) => ({ session, publication })))
    await Promise.all(
      likes.map(({ session, publication }) =>
        setLike(app.database, session, publication, true, likePublication).then(
          (outcome) => outcomes.push(outcome),
          (error: pg.DatabaseError) => outcomes.push(String(error.code)),
        ),
      ),
    )
    return outcomes
  }

  const answered = (count: number, outcome: string): string[] => Array(count).fill(outcome)

  test('likes of other posts succeed before likes of the locked one time out', async () => {
    await other.query('BEGIN')
    await other.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [locked])
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await likeAll([locked, ...free])
      expect(outcomes).toEqual([...answered(4 * free.length, 'liked'), ...answered(4, '55P03')])
    }
    await other.query('COMMIT')
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('its likes succeed afterwards, and share statements with others again', async () => {
    expect(await likeAll([locked])).toEqual(answered(4, 'liked'))
    const statements = await app.statementsOf(async () => {
      expect(await likeAll([locked, ...free])).toEqual(answered(4 * (free.length + 1), 'liked'))
    })
    expect(statements.filter((text) => text.includes('set_like'))).toHaveLength(1)
    expect(await wrongCounters(app.database)).toEqual([])
  })

  test('writes with an Idempotency-Key wait for it on half of the connections at most', async () => {
    const writers = await people(app, 4)
    await other.query('BEGIN')
    await other.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [locked])
    const writes = writers.flatMap(({ token }, writer) =>
      [1, 2, 3, 4].map((nth) =>
        app.rest(token, 'POST', `/post/${locked}/like`, undefined, { 'Idempotency-Key': `${writer}-${nth}` }),
      ),
    )
    const waiting: number[] = []
    for (let look = 0; look < 10; look += 1) {
      const { rows } = await other.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      waiting.push(rows.length)
      await sleep(50)
    }
    expect(Math.max(...waiting)).toBeGreaterThan(0)
    expect(Math.max(...waiting)).toBeLessThanOrEqual(5)
    await other.query('COMMIT')
    for (const { status } of await Promise.all(writes)) expect([200, 503]).toContain(status)
    expect(await wrongCounters(app.database)).toEqual([])
  })
})
