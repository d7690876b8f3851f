import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { waitingForChanges } from '../../src/engine/data/change-watch.ts'
import { liveChanges, subscribe } from '../support/graphql/events.ts'
import { freePort } from '../support/http/port.ts'
import { openSocket } from '../support/http/raw-socket.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { textOf } from '../support/project/source-files.ts'
import { callRest } from '../support/rest/call.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { canCutOff, cutOff } from './cut-off.ts'
import { forCommands, populate } from './network.ts'
import { startProxy } from './proxies.ts'
import { underLoad } from './scenario.ts'

const haproxy = '/usr/sbin/haproxy'

/** What the configuration calls the processes. */
const names = ['rookery0', 'rookery1']

/**
 * `docs/deploy/haproxy.cfg` with other ports: that of the proxy and those of two processes.
 * Responses name their process in `X-Process`.
 */
function configurationWith(ports: readonly number[]): string {
  const documented = [8080, 4000, 4001]
  const replaced = textOf('docs/deploy/haproxy.cfg').replaceAll(
    /127\.0\.0\.1:(\d+)/g,
    (_, port) => `127.0.0.1:${ports[documented.indexOf(Number(port))]}`,
  )
  return `${replaced}  http-response set-header X-Process %s\n`
}

/** How a process, by its name, responded. */
type Answer = { readonly name: string; readonly status: number }

const answerOf = ({ headers, status }: Response): Answer => ({ name: headers.get('x-process') ?? '', status })

describe.skipIf(programs === undefined || !existsSync(haproxy))('two processes behind HAProxy', () => {
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

  /** Starts both and the proxy. `restart` ends one with a signal and starts it again. */
  async function deploy() {
    const url = cluster.url(await cluster.createDatabase())
    const database = forCommands(url)
    const network = await populate(database)
    const [port, ...ports] = [await freePort(), await freePort(), await freePort()]
    const start = (nth: number) =>
      startRookery({ DATABASE_URL: url, PORT: String(ports[nth]), STOP_DELAY: '3', LOG_LEVEL: 'silent' })
    const servers: ServerProcess[] = await Promise.all([start(0), start(1)])
    stop = startProxy(haproxy, ['-db', '-f'], configurationWith([port, ...ports]))
    const origin = `http://127.0.0.1:${port}`
    /** Waits until the proxy sends requests to a process, and it is ready. */
    const untilReady = (name = '') => {
      const isReady = async () => {
        const { ok, headers } = await fetch(`${origin}/health/ready`)
        return ok && headers.get('x-process') === name
      }
      return expect.poll(() => isReady().catch(() => false), { interval: 20 }).toBe(true)
    }
    for (const name of names) await untilReady(name)
    const restart = async (nth: number, signal: NodeJS.Signals) => {
      servers[nth]?.signal(signal)
      const outcome = await servers[nth]?.ended
      servers[nth] = await start(nth)
      await untilReady(names[nth])
      return outcome
    }
    return {
      target: { ...network, origins: () => [origin] },
      origin,
      server: servers[0]?.origin ?? '',
      database,
      restart,
    }
  }

  test('restart one at a time without failed requests', async () => {
    const { target, database, restart } = await deploy()
    const { codes, subscribers } = await underLoad(target, database, async () => {
      for (const nth of [0, 1]) expect(await restart(nth, 'SIGTERM')).toMatchObject({ code: 0 })
    })
    expect(Object.keys(codes)).toEqual(['OK'])
    expect(subscribers.filter(({ cuts }) => cuts === 0)).toEqual([])
  })

  test('are killed one after the other', async () => {
    const { target, database, restart } = await deploy()
    const { codes, subscribers } = await underLoad(target, database, async () => {
      for (const nth of [0, 1]) await restart(nth, 'SIGKILL')
    })
    expect(Object.keys(codes).toSorted()).toEqual(['LOST', 'OK'])
    expect(subscribers.filter(({ cuts }) => cuts === 0)).toEqual([])
  })

  /** Opens as many streams as the account may have at each process, and returns what asks each for one more. */
  async function fill(origin: string, token: string, open: () => Promise<Answer>) {
    const streams: Record<string, number> = {}
    while (names.some((name) => streams[name] !== waitingForChanges)) {
      const { name, status } = await open()
      if (status === 200) streams[name] = (streams[name] ?? 0) + 1
    }
    const statuses = async () => {
      const answers = new Map<string, number>()
      while (!names.every((name) => answers.has(name))) {
        const response = await subscribe({ origin }, { token })
        await response.body?.cancel()
        const { name, status } = answerOf(response)
        answers.set(name, status)
      }
      return names.map((name) => answers.get(name))
    }
    expect(await statuses()).toEqual([503, 503])
    return statuses
  }

  test('end the streams of clients that leave', async () => {
    const { target, origin } = await deploy()
    const [token = ''] = target.readers
    const leave = new AbortController()
    const statuses = await fill(origin, token, async () =>
      answerOf(await subscribe({ origin }, { token }, { signal: AbortSignal.any([leave.signal]) })),
    )
    leave.abort()
    // Before a heartbeat would tell that they have left.
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([200, 200])
  })

  test.runIf(canCutOff)('give up the streams of clients that vanish', async () => {
    const { target, origin, server } = await deploy()
    const [token = ''] = target.readers
    const address = '127.77.0.9'
    const variables = JSON.stringify({ of: { public: true } })
    const parameters = new URLSearchParams({ query: liveChanges, variables })
    const headers = `Host: rookery\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}`
    const statuses = await fill(origin, token, async () => {
      const socket = await openSocket(origin, address)
      socket.write(`GET /graphql?${parameters} HTTP/1.1\r\n${headers}\r\n\r\n`)
      const [head] = await once(socket, 'data')
      const [, status, name = ''] = /^HTTP\/1.1 (\d+).*^x-process: (\w+)/ims.exec(String(head)) ?? []
      return { name, status: Number(status) }
    })
    const reconnect = cutOff(address)
    try {
      // Past the proxy, whose responses have a header that is not documented.
      await callRest(server, target.tokens[0], 'POST', '/post', { content: 'Unseen' })
      await expect.poll(statuses).toEqual([200, 200])
    } finally {
      reconnect()
    }
  })
})
