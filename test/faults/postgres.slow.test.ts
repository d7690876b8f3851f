import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DatabaseOptions } from '../../src/engine/data/database.ts'
import { reservedConnections } from '../../src/engine/data/pooled-backend.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import type { Target } from './load.ts'
import { forCommands, populate } from './network.ts'
import { underLoad } from './scenario.ts'

const poolSize = 5
const canMount = process.platform === 'linux' && process.getuid?.() === 0

describe.skipIf(programs === undefined)('two processes on PostgreSQL', () => {
  let cluster: Cluster
  let servers: ServerProcess[] = []
  let target: Target
  let database: DatabaseOptions
  let name: string

  async function serve(on: Cluster): Promise<void> {
    name = await on.createDatabase()
    database = forCommands(on.url(name))
    const network = await populate(database)
    target = { ...network, origins: () => servers.map(({ origin }) => origin) }
    servers = await Promise.all([startServer(on), startServer(on)])
  }

  const startServer = (on: Cluster) =>
    startRookery({ DATABASE_URL: on.url(name), DATABASE_POOL: String(poolSize), LOG_LEVEL: 'silent' })

  const backends = () =>
    cluster.admin<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'rookery'`,
    )

  beforeAll(async () => {
    cluster = await startCluster()
  })
  beforeEach(() => serve(cluster))
  afterEach(endProcesses)
  afterAll(() => cluster.remove())

  const endure = (inject: () => Promise<unknown>) => underLoad(target, database, inject)

  test.each(['smart', 'fast', 'immediate'] as const)('a %s restart', async (mode) => {
    await endure(async () => {
      // A smart shutdown waits for connections, which the servers keep open.
      if (!cluster.stop(mode)) cluster.stop('fast')
      await sleep(500)
      cluster.start()
    })
  })

  test('a killed backend and crash recovery', async () => {
    await endure(async () => {
      const [backend] = await backends()
      process.kill(backend?.pid ?? 0, 'SIGKILL')
    })
  })

  test('backends stopped for 6 seconds', async () => {
    await endure(async () => {
      const stopped = await backends()
      for (const { pid } of stopped) process.kill(pid, 'SIGSTOP')
      await sleep(6_000)
      for (const { pid } of stopped) process.kill(pid, 'SIGCONT')
    })
  })

  test('a lost synchronous standby', async () => {
    let most = 0
    await endure(async () => {
      await cluster.admin(`ALTER SYSTEM SET synchronous_standby_names = 'gone'`)
      await cluster.admin('SELECT pg_reload_conf()')
      for (let second = 0; second < 12; second += 1) {
        most = Math.max(most, (await backends()).length)
        await sleep(1_000)
      }
      await cluster.admin('ALTER SYSTEM RESET synchronous_standby_names')
      await cluster.admin('SELECT pg_reload_conf()')
    })
    // One more while an abandoned backend is being ended.
    expect(most).toBeLessThanOrEqual(2 * (poolSize + reservedConnections) + 2)
  })

  test.runIf(canMount)('a full disk', async () => {
    await endProcesses()
    const folder = mkdtempSync(join(tmpdir(), 'rookery-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=220m', 'tmpfs', folder])
    const small = await startCluster(folder)
    try {
      await serve(small)
      await endure(async () => {
        const filler = join(folder, 'filler')
        try {
          writeFileSync(filler, Buffer.alloc(220_000_000))
        } catch {
          // Written until the disk was full.
        }
        await sleep(3_000)
        rmSync(filler)
        // PostgreSQL stops when it cannot write its log.
        await small.admin('SELECT 1').catch(() => small.start())
      })
    } finally {
      await endProcesses()
      small.remove()
      execFileSync('umount', ['-l', folder])
    }
  })
})
