import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, runRookery, type ServerProcess, startRookery } from '../support/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { forCommands, settle } from './network.ts'
import { freePort, startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const restarts = 4
const haproxy = '/usr/sbin/haproxy'
const pgbouncer = '/usr/sbin/pgbouncer'

/** HAProxy in front of these ports as `docs/operations.md` configures it. */
const proxyFor = (port: number, ports: readonly number[]) => `
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 2
frontend public
  bind 127.0.0.1:${port}
  default_backend rookery
backend rookery
  option httpchk GET /health/ready
  option forwardfor
  default-server check inter 500ms fall 1 rise 1
${ports.map((to, nth) => `  server rookery${nth} 127.0.0.1:${to}`).join('\n')}
`

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
    for (const name of ['rolling', 'pooled', 'shared', 'rookery']) await cluster.admin(`CREATE DATABASE ${name}`)
  })
  afterEach(async () => {
    await endProcesses()
    await stop()
    stop = async () => {}
  })
  afterAll(() => cluster.remove())

  test.runIf(existsSync(haproxy))('restarts two processes behind HAProxy without failed requests', async () => {
    const url = cluster.url('rolling')
    const database = forCommands(url)
    const settled = await settle(database)
    const ports = [await freePort(), await freePort()]
    const start = (port: number | undefined) =>
      startRookery({ DATABASE_URL: url, PORT: String(port), STOP_DELAY: '2', LOG_LEVEL: 'silent' })
    const servers: ServerProcess[] = await Promise.all(ports.map(start))
    const port = await freePort()
    stop = startProxy(haproxy, ['-db', '-f'], proxyFor(port, ports))
    const origin = `http://127.0.0.1:${port}`
    const isReady = () =>
      fetch(`${origin}/health/ready`)
        .then(({ ok }) => ok)
        .catch(() => false)
    await expect.poll(isReady).toBe(true)
    const target = { ...settled, origins: () => [origin] }
    const ledger = await underLoad(target, database, async () => {
      for (let restart = 0; restart < restarts; restart += 1) {
        const nth = restart % servers.length
        servers[nth]?.signal('SIGTERM')
        expect(await servers[nth]?.ended).toMatchObject({ code: 0 })
        servers[nth] = await start(ports[nth])
        // Wait until the proxy has noticed that this process is back.
        await sleep(1_500)
      }
    })
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })

  test.runIf(existsSync(pgbouncer))('serves through PgBouncer in session mode', async () => {
    const port = await freePort()
    const behind = new URL(cluster.url('pooled'))
    stop = startProxy(pgbouncer, asPostgres, poolerFor(port, behind.port, 'session', 20))
    const database = forCommands(behind.href)
    const settled = await settle(database)
    const server = await startRookery({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/pooled` })
    const target = { ...settled, origins: () => [server.origin] }
    const ledger = await underLoad(target, database, async () => {})
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })

  test.runIf(existsSync(pgbouncer))('serves through PgBouncer in transaction mode with few connections', async () => {
    const port = await freePort()
    const behind = new URL(cluster.url('shared'))
    const { stdout } = await runRookery(['doctor'], { DATABASE_URL: `${behind.href}?pgbouncer=true`, PORT: '0' })
    await cluster.admin(/ALTER .*;$/m.exec(stdout)?.[0] ?? '')
    stop = startProxy(pgbouncer, asPostgres, poolerFor(port, behind.port, 'transaction', 3))
    const url = `postgres://postgres@127.0.0.1:${port}/shared?pgbouncer=true`
    const servers = await Promise.all([1, 2].map(() => startRookery({ DATABASE_URL: url })))
    const database = forCommands(url)
    const settled = await settle(database)
    const target = { ...settled, origins: () => servers.map(({ origin }) => origin) }
    const ledger = await underLoad(target, database, () => runRookery(['user', 'list'], { DATABASE_URL: url }))
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
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
