import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres } from '../support/database.ts'
import { freePort, portOf } from '../support/http/port.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { metricsUrlOf, valueIn } from '../support/processes/metrics.ts'
import {
  endProcesses,
  runRookery,
  type ServerProcess,
  startRookery,
  workersOf,
} from '../support/processes/rookery-process.ts'

const requests = 8

/** Whether each of several requests on connections of their own is answered. */
async function isServed({ origin }: ServerProcess): Promise<boolean> {
  const statuses = Array.from({ length: requests }, async () => {
    const { status } = await fetch(`${origin}/graphql`, { headers: { connection: 'close' } })
    return status
  })
  return (await Promise.all(statuses)).every((status) => status === 400)
}

describe.runIf(onPostgres && process.platform === 'linux')('workers', () => {
  let database: CommandDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    database = await commandDatabase()
    env = { ...database.env, WORKERS: '3', DATABASE_POOL: '2' }
  })
  afterEach(endProcesses)
  afterAll(() => database.remove())

  test('share a port, are started again when they are killed or stopped, and stop together', async () => {
    const server = await startRookery({ ...env, METRICS_PORT: '0' })
    expect(await isServed(server)).toBe(true)
    const counted = `rookery_requests_total{surface="graphql",operation="other",status="400"} ${requests}\n`
    expect(await (await fetch(metricsUrlOf(server))).text()).toContain(counted)

    const [killed = 0, stopped = 0, kept = 0, ...more] = workersOf(server)
    expect(more).toEqual([])
    process.kill(killed, 'SIGKILL')
    expect(await isServed(server)).toBe(true)
    process.kill(stopped, 'SIGTERM')
    expect(await isServed(server)).toBe(true)
    const areReplaced = () => {
      const workers = workersOf(server)
      return workers.length === 3 && workers.includes(kept) && !workers.includes(killed) && !workers.includes(stopped)
    }
    await expect.poll(areReplaced, { timeout: 30_000 }).toBe(true)

    server.signal('SIGTERM')
    const { code, stdout, stderr } = await server.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: server.stdout })
    const lines: unknown[] = stderr
      .trim()
      .split('\n')
      .filter((line) => line.includes('"a worker ended"'))
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { level: 40, worker: killed, code: null, signal: 'SIGKILL' },
      { level: 40, worker: stopped, code: 0, signal: null },
    ])
    await expect(fetch(server.origin)).rejects.toThrow()
  }, 120_000)

  test('are ready when all of them serve', async () => {
    const [port, metrics] = [await freePort(), await freePort()]
    const starting = startRookery({ ...env, PORT: String(port), METRICS_PORT: String(metrics) })
    const isReady = async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: 'close' } })
      return ok
    }
    await expect.poll(() => isReady().catch(() => false), { interval: 5, timeout: 60_000 }).toBe(true)
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
    expect(valueIn('rookery_processes', text)).toBe(3)
    await starting
  }, 120_000)

  test('serve for STOP_DELAY when they and the primary process get signals, and end at once with it', async () => {
    const server = await startRookery({ ...env, STOP_DELAY: '30' })
    // As from a terminal or a service manager.
    for (const pid of [server.pid ?? 0, ...workersOf(server)]) process.kill(pid, 'SIGINT')
    const readiness = async () => (await fetch(`${server.origin}/health/ready`)).status
    await expect.poll(readiness).toBe(503)
    expect(await isServed(server)).toBe(true)
    server.signal('SIGINT')
    await server.ended
    const isRefused = () => isServed(server).catch(() => 'refused')
    await expect.poll(isRefused).toBe('refused')
  }, 60_000)

  test('that cannot start say why once', async () => {
    const missing = `${env.DATABASE_URL}_missing`
    const { code, stdout, stderr } = await runRookery(['serve'], { ...env, PORT: '0', DATABASE_URL: missing })
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(/^DATABASE_URL: cannot use [^\n]* does not exist\. [^\n]*\n$/)
  })

  test('do not run when the port of the metrics is not free', async () => {
    const free = createServer()
    await once(free.listen(0, '127.0.0.1'), 'listening')
    const port = String(portOf(free))
    await new Promise((resolve) => free.close(resolve))
    const { code, stdout, stderr } = await runRookery(['serve'], { ...env, PORT: port, METRICS_PORT: port })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toBe(`PORT is ${port}, which something else listens on already; choose another.\n`)
  })
})
