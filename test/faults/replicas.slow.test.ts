import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engine/data/database.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/proxy.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'

/** How long a read may wait for a replica that does not answer, before the primary runs it, in milliseconds. */
const longest = 6_000

const leftOut = 'a replica is left out'
const usedAgain = 'a replica is used again'

describe.skipIf(programs === undefined)('two processes on a primary server with a replica', () => {
  let primary: Cluster
  let standby: Cluster
  let proxy: DatabaseProxy
  let writing: TestApp
  let reading: TestApp
  let ada: Person
  let bob: Person
  let eve: Person

  beforeAll(async () => {
    primary = await startCluster()
    await primary.admin('CREATE DATABASE network')
    standby = await startCluster(undefined, primary)
    proxy = await startDatabaseProxy(standby.url('network'))
    const options = { kind: 'server', url: primary.url('network'), poolSize: 5, opener: 'server' } as const
    const start = () => startApp({}, (log) => openDatabase({ ...options, replicaUrls: [proxy.url] }, log))
    writing = await start()
    reading = await start()
    ada = await writing.person('ada')
    bob = await writing.person('bob')
    eve = await writing.person('eve')
  })
  // Each test begins with a replica that is used.
  afterEach(() => expect.poll(isReplicaUsed).toBe(true))
  afterAll(async () => {
    await Promise.all([writing.close(), reading.close()])
    await proxy.close()
    standby.remove()
    primary.remove()
  })

  const logged = ({ lines }: TestApp, message: string) => lines.filter(({ msg }) => msg === message)

  /** Pauses the replica. What it is replaying is still finished before. */
  async function pauseReplay(): Promise<void> {
    await standby.admin('SELECT pg_wal_replay_pause()')
    const state = async () => (await standby.admin('SELECT pg_get_wal_replay_pause_state() AS state'))[0]
    await expect.poll(state).toEqual({ state: 'paused' })
  }

  /** Sends a post in one process, and returns its path and the position of the write. */
  async function send({ token }: Person): Promise<{ path: string; position: string }> {
    const response = await writing.rest(token, 'POST', '/post', { content: 'hello' })
    const { uuid }: { uuid: string } = await response.json()
    return { path: `/post/${uuid}`, position: response.headers.get('rookery-position') ?? '' }
  }

  /** The status of a read in a process, maybe after a position. */
  async function read(app: TestApp, { token }: Person, path: string, position?: string): Promise<number> {
    const headers = position === undefined ? {} : { 'rookery-after': position }
    return (await app.rest(token, 'GET', path, undefined, headers)).status
  }

  async function isReplicaUsed(): Promise<boolean> {
    const before = reading.lines.length
    await read(reading, bob, '/user')
    return reading.lines
      .slice(before)
      .some(({ statement, replica }) => statement !== undefined && replica !== undefined)
  }

  test('read from it, but an account sees its own writes, and everybody those up to a position', async () => {
    await expect.poll(isReplicaUsed).toBe(true)
    await pauseReplay()
    const { path, position } = await send(ada)
    expect(await read(writing, ada, path)).toBe(200)
    expect(await read(reading, ada, path)).toBe(404)
    expect(await read(reading, ada, path, position)).toBe(200)
    expect(await read(writing, bob, path)).toBe(404)
    expect(await read(writing, bob, path, position)).toBe(200)
    const { username } = await writing.person('dan')
    expect((await reading.rest(ada.token, 'POST', `/user/@${username}/follow`)).status).toBe(200)
    await standby.admin('SELECT pg_wal_replay_resume()')
  })

  test('hide what a block hides from reads after the position of the block', async () => {
    const { path, position } = await send(ada)
    await expect.poll(() => read(reading, bob, path, position)).toBe(200)
    await expect.poll(isReplicaUsed).toBe(true)
    await pauseReplay()
    const block = await writing.rest(ada.token, 'POST', `/user/${bob.id}/block`)
    const after = block.headers.get('rookery-position') ?? ''
    expect(await read(reading, bob, path)).toBe(200)
    expect(await read(reading, bob, path, after)).toBe(404)
    await standby.admin('SELECT pg_wal_replay_resume()')
    // As soon as the replica has the block.
    await expect.poll(isReplicaUsed).toBe(true)
    expect(await read(reading, bob, path, after)).toBe(404)
    expect((await writing.rest(ada.token, 'POST', `/user/${bob.id}/block`)).status).toBe(200)
  })

  test('read the change feed, and what it shows, from the primary', async () => {
    const query = '{ changeCursor publicTimeline(first: 1) { nodes { uuid } } }'
    const { data } = await reading.graphql(eve.token, query)
    await pauseReplay()
    const { path } = await send(ada)
    const { changeCursor } = Object(data)
    const changes = 'query ($after: String) { changes(of: { public: true }, after: $after) { nodes { uuid } } }'
    const seen = async () => Object((await reading.graphql(eve.token, changes, { after: changeCursor })).data)
    await expect.poll(seen).toEqual({ changes: { nodes: [{ uuid: path.slice('/post/'.length) }] } })
    expect(await read(reading, eve, path)).toBe(200)
    await standby.admin('SELECT pg_wal_replay_resume()')
  })

  test('serve an account that has just signed up from the primary', async () => {
    await pauseReplay()
    const input = { username: 'cyd', email: 'cyd@example.org', password: 'a long password' }
    const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }'
    const { data, headers } = await writing.graphql(undefined, signUp, { input })
    expect(headers.get('rookery-position')).toMatch(/^[0-9a-f]{16}$/)
    const { token } = Object(data).signUp
    expect(await read(writing, { ...ada, token }, '/user')).toBe(200)
    await standby.admin('SELECT pg_wal_replay_resume()')
  })

  test('leave it out while it lags', async () => {
    const before = logged(reading, leftOut).length
    const usedBefore = logged(reading, usedAgain).length
    await pauseReplay()
    const { path } = await send(ada)
    await expect.poll(() => read(reading, bob, path)).toBe(200)
    expect(logged(reading, leftOut).slice(before)).toMatchObject([{ level: 40, reason: 'it lags' }])
    await standby.admin('SELECT pg_wal_replay_resume()')
    await expect.poll(isReplicaUsed).toBe(true)
    expect(logged(reading, usedAgain)).toHaveLength(usedBefore + 1)
  })

  test('never miss a write after its position while the replica is cut off, hangs, stops and comes back', async () => {
    let isOver = false
    const statuses: number[] = []
    const times: number[] = []
    const people = await Promise.all(Array.from({ length: 4 }, () => writing.person()))
    const loads = people.map(async (person) => {
      while (!isOver) {
        const { path, position } = await send(person)
        for (const [reader, wanted, after] of [
          [person, path, position],
          [bob, path, position],
          [bob, '/user'],
        ] as const) {
          const since = performance.now()
          statuses.push(await read(reading, reader, wanted, after))
          times.push(performance.now() - since)
        }
      }
    })
    const faults: readonly (readonly [() => unknown, () => unknown])[] = [
      [proxy.hangUp, proxy.back],
      [proxy.standStill, proxy.goOn],
      [() => standby.stop('immediate'), standby.start],
    ]
    for (const [begin, end] of faults) {
      await expect.poll(isReplicaUsed).toBe(true)
      begin()
      await sleep(2_000)
      end()
    }
    await expect.poll(isReplicaUsed).toBe(true)
    isOver = true
    await Promise.all(loads)
    expect(statuses.length).toBeGreaterThan(100)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(Math.max(...times)).toBeLessThan(longest)
  })
})
