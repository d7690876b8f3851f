import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { DatabaseOptions } from '../../src/data/database.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { freePorts, haproxyPath, type LoadBalancer, startHaproxy } from './haproxy.ts'
import { settle } from './network.ts'
import { type Row, tableOf } from './report.ts'
import { underLoad } from './scenario.ts'

const restarts = 4

describe.skipIf(programs === undefined || haproxyPath === undefined)('two processes behind HAProxy', () => {
  const rows: Row[] = []
  let cluster: Cluster | undefined
  let proxy: LoadBalancer | undefined
  afterEach(endProcesses)
  afterAll(async () => {
    await proxy?.stop()
    cluster?.remove()
    console.info(`\n${tableOf(rows)}`)
  })

  test('restart one after the other without failed requests', async () => {
    cluster = await startCluster()
    await cluster.admin('CREATE DATABASE rolling')
    const url = cluster.url('rolling')
    const database: DatabaseOptions = { kind: 'server', url, poolSize: 2, opener: 'command' }
    const settled = await settle(database)
    const ports = await freePorts(2)
    const start = (port: number | undefined) =>
      startRookery({ DATABASE_URL: url, PORT: String(port), STOP_DELAY: '2', LOG_LEVEL: 'silent' })
    const servers: ServerProcess[] = await Promise.all(ports.map(start))
    const { origin } = await startHaproxy(haproxyPath ?? '', ports).then((started) => {
      proxy = started
      return started
    })
    const ledger = await underLoad({ ...settled, origins: () => [origin] }, database, async () => {
      for (let restart = 0; restart < restarts; restart += 1) {
        const nth = restart % servers.length
        servers[nth]?.signal('SIGTERM')
        expect(await servers[nth]?.ended).toMatchObject({ code: 0 })
        servers[nth] = await start(ports[nth])
        // Wait until the proxy has noticed that this process is back.
        await new Promise((resolve) => setTimeout(resolve, 1_500))
      }
    })
    rows.push({ fault: `${restarts} rolling restarts behind HAProxy`, ledger })
    expect(Object.keys(ledger.codes)).toEqual(['OK'])
  })
})
