import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endProcesses, startRookery } from '../support/rookery-process.ts'
import { programs, startCluster } from './cluster.ts'
import { forCommands, settle } from './network.ts'
import { freePort, startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const pgbouncer = '/usr/sbin/pgbouncer'

test.skipIf(programs === undefined || !existsSync(pgbouncer))('serves through PgBouncer in session mode', async () => {
  const cluster = await startCluster()
  await cluster.admin('CREATE DATABASE pooled')
  const port = await freePort()
  const behind = new URL(cluster.url('pooled'))
  const configuration = `[databases]
pooled = host=127.0.0.1 port=${behind.port} dbname=pooled user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = session
default_pool_size = 20
unix_socket_dir =
`
  const stop = startProxy(pgbouncer, process.getuid?.() === 0 ? ['-u', 'postgres'] : [], configuration)
  try {
    const database = forCommands(behind.href)
    const settled = await settle(database)
    const server = await startRookery({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/pooled` })
    const target = { ...settled, origins: () => [server.origin] }
    const ledger = await underLoad('none, behind PgBouncer', target, database, async () => {})
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  } finally {
    await endProcesses()
    await stop()
    cluster.remove()
  }
})
