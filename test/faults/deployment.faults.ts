import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, runRookery, startRookery, workersOf } from '../support/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { forCommands, settle } from './network.ts'
import { freePort, startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const pgbouncer = '/usr/sbin/pgbouncer'

/** PgBouncer in session mode in front of a database of this port. */
const poolerFor = (port: number, behind: string) => `[databases]
pooled = host=127.0.0.1 port=${behind} dbname=pooled user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = session
default_pool_size = 20
unix_socket_dir =
`

describe.skipIf(programs === undefined)('a deployment', () => {
  let cluster: Cluster
  let stop = async () => {}
  beforeAll(async () => {
    cluster = await startCluster()
    for (const name of ['pooled', 'workers', 'rookery']) await cluster.admin(`CREATE DATABASE ${name}`)
  })
  afterEach(async () => {
    await endProcesses()
    await stop()
    stop = async () => {}
  })
  afterAll(() => cluster.remove())

  test.runIf(existsSync(pgbouncer))('serves through PgBouncer in session mode', async () => {
    const port = await freePort()
    const behind = new URL(cluster.url('pooled'))
    const args = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
    stop = startProxy(pgbouncer, args, poolerFor(port, behind.port))
    const database = forCommands(behind.href)
    const settled = await settle(database)
    const server = await startRookery({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/pooled` })
    const target = { ...settled, origins: () => [server.origin] }
    const ledger = await underLoad(target, database, async () => {})
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })

  test('replaces workers that are killed one after the other', async () => {
    const url = cluster.url('workers')
    const database = forCommands(url)
    const settled = await settle(database)
    const port = await freePort()
    const server = await startRookery({ DATABASE_URL: url, PORT: String(port), WORKERS: '2', LOG_LEVEL: 'silent' })
    const target = { ...settled, origins: () => [server.origin] }
    const { codes, subscribers } = await underLoad(target, database, async () => {
      for (const worker of workersOf(server)) {
        process.kill(worker, 'SIGKILL')
        await expect.poll(() => workersOf(server).filter((pid) => pid !== worker)).toHaveLength(2)
        await sleep(1_500)
      }
    })
    expect(Object.keys(codes).toSorted()).toEqual(['LOST', 'OK'])
    expect(subscribers.some(({ cuts }) => cuts > 0)).toBe(true)
  })

  test('refuses a standby, which the doctor reports', async () => {
    await settle(forCommands(cluster.url('rookery')))
    const standby = await startCluster(undefined, cluster)
    const env = { DATABASE_URL: standby.url('rookery'), PORT: '0' }
    try {
      expect(await runRookery(['serve'], env)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/it is a standby, which takes no writes. Point DATABASE_URL at the primary.\n$/),
      })
      const { code, stdout } = await runRookery(['doctor'], env)
      expect(code).toBe(1)
      expect(stdout).toMatch(/it is a standby, which takes no writes\.\s+Point DATABASE_URL at the primary/)
    } finally {
      standby.remove()
    }
  })
})
