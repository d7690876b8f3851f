import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { endProcesses, type ServerProcess, startRookery } from '../support/rookery-process.ts'
import { programs, startCluster } from './cluster.ts'
import { forCommands, settle } from './network.ts'
import { freePort, startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const restarts = 4
const haproxy = '/usr/sbin/haproxy'

/** HAProxy in front of these ports as `docs/operations.md` configures it. */
const configurationOf = (port: number, ports: readonly number[]) => `
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

test.skipIf(programs === undefined || !existsSync(haproxy))(
  'two processes behind HAProxy restart one after the other without failed requests',
  async () => {
    const cluster = await startCluster()
    await cluster.admin('CREATE DATABASE rolling')
    const url = cluster.url('rolling')
    const database = forCommands(url)
    const settled = await settle(database)
    const ports = [await freePort(), await freePort()]
    const start = (port: number | undefined) =>
      startRookery({ DATABASE_URL: url, PORT: String(port), STOP_DELAY: '2', LOG_LEVEL: 'silent' })
    const servers: ServerProcess[] = await Promise.all(ports.map(start))
    const port = await freePort()
    const stop = startProxy(haproxy, ['-db', '-f'], configurationOf(port, ports))
    const origin = `http://127.0.0.1:${port}`
    try {
      const isReady = () =>
        fetch(`${origin}/health/ready`)
          .then(({ ok }) => ok)
          .catch(() => false)
      await expect.poll(isReady).toBe(true)
      const target = { ...settled, origins: () => [origin] }
      const ledger = await underLoad(`${restarts} rolling restarts behind HAProxy`, target, database, async () => {
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
    } finally {
      await endProcesses()
      await stop()
      cluster.remove()
    }
  },
)
