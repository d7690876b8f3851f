import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AcceptedConnections } from '../../src/server/turns/connections-first.ts'
import { RequestTurns } from '../../src/server/turns/request-turns.ts'

/** Requests that end when they are told to. */
class Requests {
  readonly #turns = new RequestTurns(new AcceptedConnections())
  readonly #running: (() => void)[] = []

  get running(): number {
    return this.#running.length
  }

  /** Sends requests of an account, and resolves when those that may start have started. */
  async send(account: string, count: number, way: 'inShare' | 'inTurn' = 'inShare'): Promise<void> {
    const execute = () => new Promise<void>((resolve) => this.#running.push(resolve))
    for (let nth = 0; nth < count; nth += 1) void this.#turns[way]({ account, hasToken: way === 'inShare' }, execute)
    await new Promise(setImmediate)
  }

  /** Ends the oldest request, and resolves when the next has started. */
  async end(): Promise<void> {
    this.#running.shift()?.()
    await new Promise(setImmediate)
  }
}

// A slow machine would otherwise end a turn of the event loop, or use up a burst.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

test('an account executes all its requests at once while no other is active', async () => {
  const requests = new Requests()
  await requests.send('ada', 100)
  expect(requests.running).toBe(100)
})

test('while another is active, an account executes eight requests at once, and the rest as those end', async () => {
  const requests = new Requests()
  await requests.send('grace', 1)
  await requests.end()
  await requests.send('ada', 12)
  expect(requests.running).toBe(8)
  await requests.send('grace', 1)
  expect(requests.running).toBe(9)
  for (const left of [9, 9, 9, 9, 8]) {
    await requests.end()
    expect(requests.running).toBe(left)
  }
})

test('an account that always has requests executes them for a fifth of the time while another is active', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate'] })
  const turns = new RequestTurns(new AcceptedConnections())
  const counts = { ada: 0, grace: 0 }
  const send = async (account: keyof typeof counts, duration: number, pause: number) => {
    while (performance.now() < 10_000) {
      await turns.inShare(
        { account, hasToken: true },
        () => new Promise((resolve) => void setTimeout(resolve, duration)),
      )
      counts[account] += 1
      if (pause > 0) await new Promise((resolve) => void setTimeout(resolve, pause))
    }
  }
  void send('grace', 1, 99)
  for (let nth = 0; nth < 40; nth += 1) void send('ada', 4, 0)
  await vi.advanceTimersByTimeAsync(1_000)
  const before = { ...counts }
  await vi.advanceTimersByTimeAsync(9_000)
  expect(counts.grace - before.grace).toBe(90)
  expect((counts.ada - before.ada) * 4).toBeGreaterThan(9_000 * 0.18)
  expect((counts.ada - before.ada) * 4).toBeLessThan(9_000 * 0.22)
})

test('requests that only take turns are not limited by shares', async () => {
  const requests = new Requests()
  await requests.send('ada', 1)
  await requests.send('127.0.0.1', 100, 'inTurn')
  expect(requests.running).toBe(101)
})
