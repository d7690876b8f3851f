import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Refusal } from '../../src/engine/errors.ts'
import { problem } from '../../src/engine/http/problem.ts'
import { freePort } from '../support/http/port.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { textOf } from '../support/project/source-files.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { forCommands, populate } from './network.ts'
import { startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const nginx = '/usr/sbin/nginx'

/**
 * `docs/deploy/nginx.conf` for these processes, on other ports, without TLS, and without the limits of an address unless it
 * `isLimited`.
 */
function configurationWith([port, plain, ...processes]: readonly number[], isLimited = false): string {
  const servers = processes.map((it) => `  server 127.0.0.1:${it} max_fails=0;\n`).join('')
  const site = textOf('docs/deploy/nginx.conf')
    .replace(/^ *(?:ssl_|access_log|log_format|listen \[).*\n/gm, '')
    .replace(isLimited ? '' : /^ *limit_.*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('  server 127.0.0.1:4000 max_fails=0;\n', servers)
  return `daemon off; master_process off; pid /dev/null; error_log stderr;
    events { worker_connections 1024; }
    http { access_log off; ${site} }`
}

test.skipIf(!existsSync(nginx))('nginx refuses as the REST API does', async () => {
  const [port = 0, plain = 0, none = 0] = [await freePort(), await freePort(), await freePort()]
  const stop = startProxy(nginx, ['-c'], configurationWith([port, plain, none], true))
  const ask = (body?: string) => fetch(`http://127.0.0.1:${port}/api/v1/post`, { method: 'POST', body: body ?? null })
  await expect
    .poll(() =>
      ask().then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(502)
  const tooLarge = await ask('x'.repeat(200_000))
  const others = await Promise.all(Array.from({ length: 300 }, () => ask()))
  const tooMany = others.filter(({ status }) => status !== 502)
  expect(tooMany.length).toBeGreaterThan(50)
  for (const [response, code, detail] of [
    [tooLarge, 'PAYLOAD_TOO_LARGE', 'The body exceeds 128 KiB.'],
    ...tooMany.map((it) => [it, 'RATE_LIMITED', 'This address sends too many requests.'] as const),
  ] as const) {
    const { headers, body } = problem(new Refusal(code, detail))
    expect(await response.text()).toBe(body)
    expect(response.headers.get('content-type')).toBe(headers['content-type'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('retry-after')).toBe(response === tooLarge ? null : '1')
  }
  await stop()
})

describe.skipIf(programs === undefined || !existsSync(nginx))('two processes behind nginx', () => {
  let cluster: Cluster
  let stop = async () => {}
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterEach(async () => {
    await endProcesses()
    await stop()
  })
  afterAll(() => cluster.remove())

  test('restart one at a time, and lose hardly a request', async () => {
    const url = cluster.url(await cluster.createDatabase())
    const database = forCommands(url)
    const network = await populate(database)
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()]
    const start = (port = 0) =>
      startRookery({ DATABASE_URL: url, PORT: String(port), STOP_DELAY: '3', LOG_LEVEL: 'silent' })
    const servers: ServerProcess[] = [await start(ports[2]), await start(ports[3])]
    stop = startProxy(nginx, ['-c'], configurationWith(ports))
    const target = { ...network, origins: () => [`http://127.0.0.1:${ports[0]}`] }
    const { codes, subscribers } = await underLoad(target, database, async () => {
      for (const [nth, server] of servers.entries()) {
        server.signal('SIGTERM')
        expect(await server.ended).toMatchObject({ code: 0 })
        servers[nth] = await start(ports[2 + nth])
      }
    })
    // nginx knows nothing of the health of its processes, so it may connect in the moment in which one stops to listen.
    expect(Object.keys(codes).filter((code) => code !== 'LOST')).toEqual(['OK'])
    expect(codes.LOST ?? 0).toBeLessThanOrEqual(servers.length)
    expect(subscribers.filter(({ cuts }) => cuts === 0)).toEqual([])
  })
})
