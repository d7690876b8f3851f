import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { forCommands, populate } from './network.ts'
import { underLoad } from './scenario.ts'

describe.skipIf(programs === undefined)('two workers on a primary server with a standby', () => {
  let primary: Cluster
  let standby: Cluster
  beforeAll(async () => {
    primary = await startCluster()
    await primary.admin('CREATE DATABASE network')
    standby = await startCluster(undefined, primary)
    // Otherwise writes that were acknowledged can be lost.
    await primary.admin(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.admin('SELECT pg_reload_conf()')
  })
  afterAll(async () => {
    await endProcesses()
    standby.remove()
    primary.remove()
  })

  test('pass over the standby, and lose nothing when the primary server dies and the standby is promoted', async () => {
    const [first, second] = [standby, primary].map((cluster) => new URL(cluster.url('network')).host)
    const url = `postgres://postgres@${first},${second}/network?target_session_attrs=read-write`
    const database = forCommands(url)
    const network = await populate(database)
    const replicas = `${primary.url('network')} ${standby.url('network')}`
    const env = {
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replicas,
      WORKERS: '2',
      DATABASE_POOL: '5',
      LOG_LEVEL: 'silent',
    }
    const server = await startRookery(env)
    const target = { ...network, origins: () => [server.origin] }
    const ledger = await underLoad(target, database, async () => {
      primary.stop('immediate')
      await sleep(1_000)
      // Nothing is promoted yet: the standby must not serve.
      expect((await fetch(`${server.origin}/health/ready`)).status).toBe(503)
      await standby.admin('SELECT pg_promote()')
    })
    expect(ledger.codes.OK).toBeGreaterThan(0)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })
})
