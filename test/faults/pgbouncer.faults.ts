import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { DatabaseOptions } from '../../src/data/database.ts'
import { endProcesses, startRookery } from '../support/rookery-process.ts'
import { programs, startCluster } from './cluster.ts'
import { freePorts } from './haproxy.ts'
import { runLoad } from './load.ts'
import { audit, flawless, settle } from './network.ts'

const pgbouncer = '/usr/sbin/pgbouncer'
afterEach(endProcesses)

test.skipIf(programs === undefined || !existsSync(pgbouncer))('serves through PgBouncer in session mode', async () => {
  const cluster = await startCluster()
  await cluster.admin('CREATE DATABASE pooled')
  const [port = 0] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'rookery-pgbouncer-'))
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  const behind = new URL(cluster.url('pooled'))
  writeFileSync(
    file,
    `[databases]
pooled = host=127.0.0.1 port=${behind.port} dbname=pooled user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = session
default_pool_size = 20
unix_socket_dir =
`,
  )
  const asRoot = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const bouncer = spawn(pgbouncer, [...asRoot, file], { stdio: 'ignore' })
  try {
    const database: DatabaseOptions = { kind: 'server', url: behind.href, poolSize: 2, opener: 'command' }
    const settled = await settle(database)
    const server = await startRookery({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/pooled` })
    const ledger = await runLoad({ ...settled, origins: () => [server.origin] }, 8, AbortSignal.timeout(2_000))
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
    expect(await audit(database, ledger)).toEqual(flawless)
  } finally {
    await endProcesses()
    bouncer.kill('SIGKILL')
    if (bouncer.exitCode === null) await once(bouncer, 'close')
    cluster.remove()
    rmSync(folder, { recursive: true })
  }
})
