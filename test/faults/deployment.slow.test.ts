import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/http/port.ts'
import { metricsUrlOf, valueIn } from '../support/processes/metrics.ts'
import { endProcesses, runRookery, startRookery, workersOf } from '../support/processes/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { forCommands, populate } from './network.ts'
import { startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const pgbouncer = '/usr/sbin/pgbouncer'

/** PgBouncer in front of the databases of this port, with so many connections to each. */
const poolerFor = (port: number, behind: string, mode: 'session' | 'transaction', size: number) => `[databases]
* = host=127.0.0.1 port=${behind} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
unix_socket_dir =
`

const asPostgres = process.getuid?.() === 0 ? ['-u', 'postgres'] : []

describe.skipIf(programs === undefined)('a deployment', () => {
  let cluster: Cluster
  let stop = async () => {}
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterEach(async () => {
    await endProcesses()
    await stop()
    stop = async () => {}
  })
  afterAll(() => cluster.remove())

  test.runIf(existsSync(pgbouncer))('serves through PgBouncer in session mode', async () => {
    const port = await freePort()
    const behind = new URL(cluster.url(await cluster.createDatabase()))
    stop = startProxy(pgbouncer, asPostgres, poolerFor(port, behind.port, 'session', 20))
    const database = forCommands(behind.href)
    const network = await populate(database)
    const url = `postgres://postgres@127.0.0.1:${port}${behind.pathname}`
    expect(await runRookery(['doctor'], { DATABASE_URL: url, PORT: '0' })).toMatchObject({ code: 0 })
    const server = await startRookery({ DATABASE_URL: url })
    const target = { ...network, origins: () => [server.origin] }
    const ledger = await underLoad(target, database, async () => {})
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })

  test.runIf(existsSync(pgbouncer))('serves through PgBouncer in transaction mode with few connections', async () => {
    const port = await freePort()
    const behind = new URL(cluster.url(await cluster.createDatabase()))
    const { stdout } = await runRookery(['doctor'], { DATABASE_URL: `${behind.href}?pgbouncer=true`, PORT: '0' })
    await cluster.admin(/ALTER .*;$/m.exec(stdout)?.[0] ?? '')
    stop = startProxy(pgbouncer, asPostgres, poolerFor(port, behind.port, 'transaction', 3))
    const plain = `postgres://postgres@127.0.0.1:${port}${behind.pathname}`
    const warned = await runRookery(['doctor'], { DATABASE_URL: plain, PORT: '0' })
    expect(warned.stdout).toContain('Add pgbouncer=true to the parameters of DATABASE_URL.')
    const url = `${plain}?pgbouncer=true`
    const servers = await Promise.all([1, 2].map(() => startRookery({ DATABASE_URL: url })))
    const database = forCommands(url)
    const network = await populate(database)
    const target = { ...network, origins: () => servers.map(({ origin }) => origin) }
    const ledger = await underLoad(target, database, () => runRookery(['user', 'list'], { DATABASE_URL: url }))
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })

  test('replaces workers that are killed one after the other', async () => {
    const url = cluster.url(await cluster.createDatabase())
    const database = forCommands(url)
    const network = await populate(database)
    const port = await freePort()
    const env = { DATABASE_URL: url, PORT: String(port), WORKERS: '2', METRICS_PORT: '0', LOG_LEVEL: 'silent' }
    const server = await startRookery(env)
    const target = { ...network, origins: () => [server.origin] }
    const serving = async () => valueIn('rookery_processes', await (await fetch(metricsUrlOf(server))).text())
    const { codes, subscribers } = await underLoad(target, database, async () => {
      for (const worker of workersOf(server)) {
        process.kill(worker, 'SIGKILL')
        await expect.poll(() => workersOf(server)).not.toContain(worker)
        await expect.poll(serving).toBe(2)
      }
    })
    expect(Object.keys(codes).toSorted()).toEqual(['LOST', 'OK'])
    expect(subscribers.some(({ cuts }) => cuts > 0)).toBe(true)
  })

  test('refuses a standby, which the doctor reports', async () => {
    const name = await cluster.createDatabase()
    await populate(forCommands(cluster.url(name)))
    const standby = await startCluster(undefined, cluster)
    const env = { DATABASE_URL: standby.url(name), PORT: '0' }
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
