import { execFileSync } from 'node:child_process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres } from '../support/database.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { metricsUrlOf, valueIn } from '../support/processes/metrics.ts'
import { endProcesses, type ServerProcess, startRookery, workersOf } from '../support/processes/rookery-process.ts'

const answered = 'rookery_requests_total{surface="graphql",operation="other",status="400"}'

/** Sends requests on connections of their own, so that several workers answer. */
async function sendMany({ origin }: ServerProcess): Promise<void> {
  const send = async () => (await fetch(`${origin}/graphql`, { headers: { connection: 'close' } })).status
  expect(await Promise.all(Array.from({ length: 30 }, send))).toEqual(Array(30).fill(400))
}

/** Reads how many requests the metrics count, and of how many processes. */
async function scrape(server: ServerProcess) {
  const response = await fetch(metricsUrlOf(server), { signal: AbortSignal.timeout(5_000) })
  const text = await response.text()
  return { status: response.status, requests: valueIn(answered, text), processes: valueIn('rookery_processes', text) }
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.runIf(onPostgres && process.platform === 'linux')('workers', () => {
  let database: CommandDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    database = await commandDatabase()
    env = { ...database.env, WORKERS: '2', DATABASE_POOL: '2', METRICS_PORT: '0' }
  })
  afterEach(endProcesses)
  afterAll(() => database.remove())

  test('that are killed during scrapes end neither the primary process nor a scrape, and no counter falls', async () => {
    const server = await startRookery(env)
    const serving = async () => (await scrape(server)).processes
    let before = 0
    for (let round = 0; round < 3; round += 1) {
      await sendMany(server)
      before = (await scrape(server)).requests
      process.kill(workersOf(server)[round % 2] ?? 0, 'SIGKILL')
      const after = await Promise.all(Array.from({ length: 5 }, () => scrape(server)))
      expect(after.map(({ status, requests }) => [status, requests >= before])).toEqual(Array(5).fill([200, true]))
      await expect.poll(serving, { timeout: 60_000 }).toBe(2)
    }
    await sendMany(server)
    await expect.poll(async () => (await scrape(server)).requests).toBe(before + 30)
    expect(before).toBe(90)
  })

  test('that hang are left out of scrapes, and replaced', async () => {
    const server = await startRookery(env)
    await sendMany(server)
    const before = await scrape(server)
    expect(before).toEqual({ status: 200, requests: 30, processes: 2 })
    const [hanging = 0, other = 0] = workersOf(server)
    process.kill(hanging, 'SIGSTOP')
    expect(await scrape(server)).toEqual({ ...before, processes: 1 })
    const isReplaced = () => {
      const workers = workersOf(server)
      return workers.length === 2 && workers.includes(other) && !workers.includes(hanging)
    }
    await expect.poll(isReplaced, { timeout: 30_000 }).toBe(true)
    expect((await scrape(server)).requests).toBe(before.requests)
    await sendMany(server)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(server.log().match(/"worker":(\d+),"msg":"a worker does not answer"/)?.[1]).toBe(String(hanging))
  })

  test('that cannot be started are tried again', async () => {
    const server = await startRookery(env)
    const limitFiles = (most: string) => execFileSync('prlimit', ['--pid', `${server.pid}`, `--nofile=${most}:`])
    const usual = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).trim()
    limitFiles('10')
    process.kill(workersOf(server)[0] ?? 0, 'SIGKILL')
    await expect.poll(server.log).toContain('EMFILE')
    limitFiles(usual)
    await expect.poll(async () => (await scrape(server)).processes, { timeout: 60_000 }).toBe(2)
  })

  test('that hang are killed when the others have stopped', async () => {
    const server = await startRookery(env)
    const [hanging = 0] = workersOf(server)
    process.kill(hanging, 'SIGSTOP')
    const since = performance.now()
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(performance.now() - since).toBeLessThan(13_000)
    expect(isRunning(hanging)).toBe(false)
    await expect(fetch(server.origin)).rejects.toThrow()
  })
})
