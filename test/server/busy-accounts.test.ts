import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AcceptedConnections } from '../../src/server/turns/connections-first.ts'
import { RequestTurns } from '../../src/server/turns/request-turns.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const sleep = (milliseconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, milliseconds))

/** Accounts that share one processor. Each request takes its time, and then waits for something else. Times are in milliseconds. */
class Service {
  readonly #time: { readonly processor: number; readonly wait: number }
  readonly #turns = new RequestTurns(new AcceptedConnections())
  readonly done = new Map<string, number>()
  slowest = 0
  refused = 0
  #free = 0

  constructor(processor: number, wait = 0) {
    this.#time = { processor, wait }
  }

  async request(account: string): Promise<void> {
    const begun = performance.now()
    try {
      await this.#turns.inShare({ account, hasToken: true }, () => this.#compute())
      this.slowest = Math.max(this.slowest, performance.now() - begun)
      this.done.set(account, (this.done.get(account) ?? 0) + 1)
    } catch {
      this.refused += 1
    }
  }

  /** Sends requests at a constant rate, whether or not the earlier ones have a response. */
  async sendEach(account: string, interval: number): Promise<void> {
    while (performance.now() < 20_000) {
      void this.request(account)
      await sleep(interval)
    }
  }

  /** Sends requests one after the other on this many connections. */
  flood(account: string, connections: number): void {
    const connection = async () => {
      while (performance.now() < 20_000) await this.request(account)
    }
    for (let nth = 0; nth < connections; nth += 1) void connection()
  }

  /** Keeps the processor busy with something else. */
  delay(milliseconds: number): void {
    this.#free = Math.max(performance.now(), this.#free) + milliseconds
  }

  #compute(): Promise<void> {
    const { processor, wait } = this.#time
    this.#free = Math.max(performance.now(), this.#free) + processor
    return sleep(this.#free - performance.now() + wait)
  }
}

describe.each([9, 32, 33, 64])('beside a flood on %i connections', (connections) => {
  test('an account that needs less than half of the time gets it, even after a delay', async () => {
    const service = new Service(4)
    service.flood('flood', connections)
    void service.sendEach('ada', 9)
    await vi.advanceTimersByTimeAsync(5_000)
    service.delay(600)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(service.refused).toBe(0)
    expect(service.done.get('ada')).toBeGreaterThan(2_200)
  })

  test('an account that needs more than half of the time gets half', async () => {
    const service = new Service(4)
    service.flood('flood', connections)
    void service.sendEach('ada', 5)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(service.done.get('ada')).toBeGreaterThan(2_200)
    expect(service.done.get('flood')).toBeGreaterThan(2_200)
  })
})

describe.each([
  [100, 2, 20],
  [250, 2, 20],
  [100, 1, 60],
])('an account with %i requests a second that take %i ms of the processor and %i ms more', (rate, processor, wait) => {
  test('catches up after a delay, although another is active', async () => {
    const service = new Service(processor, wait)
    void service.sendEach('ada', 1_000 / rate)
    void service.sendEach('bob', 300)
    await vi.advanceTimersByTimeAsync(5_000)
    service.delay(600)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(service.refused).toBe(0)
    expect(service.done.get('ada')).toBeGreaterThan(rate * 19)
    expect(service.slowest).toBeLessThan(1_200)
  })
})

test('a flood that opens its connections at once is not taken for an account that has fallen behind', async () => {
  const service = new Service(4)
  service.flood('flood', 64)
  void service.sendEach('bob', 20)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(service.done.get('bob')).toBeGreaterThan(980)
  expect(service.done.get('flood')).toBeLessThan(2_000)
})
