import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { FairQueue, type QueueLimits } from '../../src/data/fair-queue.ts'

const limits: QueueLimits = {
  atOnce: 4,
  atOnceAlone: 2,
  atOnceEach: 2,
  slow: 60_000,
  isSerial: false,
  waiting: 100,
  waitingEach: 50,
  waitTimeout: 60_000,
}

/** Half of the time, without a burst. */
const half = { share: 0.5, burst: 0, longestPause: 60_000 }

/** The limits of a queue for a database that executes one statement after the other. */
const serial = { atOnceAlone: 1, atOnceEach: 1, isSerial: true, time: half }

afterEach(() => {
  vi.useRealTimers()
})

/** Stops the clock of the queue until the end of the test, so that only the test moves it. */
const stopClock = () => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })

/** A queue whose jobs run until they are ended, in any order. */
function testQueue(changed: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...limits, ...changed })
  const running: { readonly name: string; readonly end: () => void }[] = []
  const refused: string[] = []
  return {
    refused,
    excludeOtherWork: () => queue.excludeOtherWork(),
    names: () => running.map(({ name }) => name),
    add: (account: string, number: number, signal?: AbortSignal) => {
      const name = `${account}${number}`
      const work = () => new Promise<void>((resolve) => running.push({ name, end: resolve }))
      return queue.run({ account, signal }, work).catch((error: Error) => {
        refused.push(`${name}: ${error.message}`)
      })
    },
    /** Ends a job, and waits for its consequences. */
    end: async (name: string) => {
      const at = running.findIndex((job) => job.name === name)
      for (const job of running.splice(at, at < 0 ? 0 : 1)) job.end()
      await new Promise(setImmediate)
    },
  }
}

test('an account cannot exceed its share, even while slots are free', async () => {
  const { add, names, end } = testQueue()
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  expect(names()).toEqual(['ada1', 'ada2'])
  for (const number of [1, 2]) void add('bob', number)
  expect(names()).toEqual(['ada1', 'ada2', 'bob1', 'bob2'])
  await end('ada2')
  expect(names()).toEqual(['ada1', 'bob1', 'bob2', 'ada3'])
})

test('an account has the smaller share after a slow job, even if no other account is active', async () => {
  const { add, names, end } = testQueue({ atOnceAlone: 2, atOnceEach: 1, slow: 0 })
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  expect(names()).toEqual(['ada1', 'ada2'])
  await end('ada1')
  expect(names()).toEqual(['ada2'])
  await end('ada2')
  expect(names()).toEqual(['ada3'])
})

test('while others are active, an account that may use half of the time pauses for as long as its jobs took', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: half })
  for (const number of [1, 2]) void add('ada', number)
  void add('bob', 1)
  vi.advanceTimersByTime(60)
  await end('ada1')
  await end('ada2')
  void add('ada', 3)
  expect(names()).toEqual(['bob1'])
  await vi.advanceTimersByTimeAsync(59)
  expect(names()).toEqual(['bob1'])
  await vi.advanceTimersByTimeAsync(2)
  expect(names()).toEqual(['bob1', 'ada3'])
})

test('a job that arrives when a pause is over does not overtake those that wait', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { add, names, end } = testQueue({ atOnceEach: 1, time: half })
  void add('bob', 1)
  for (const number of [1, 2]) void add('ada', number)
  vi.advanceTimersByTime(60)
  await end('ada1')
  vi.advanceTimersByTime(61)
  void add('ada', 3)
  await expect.poll(names).toEqual(['bob1', 'ada2'])
})

test('an account pauses only when it has used its burst, and its jobs run one at a time when it has used half of it', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: { ...half, burst: 50 } })
  void add('bob', 1)
  void add('ada', 1)
  vi.advanceTimersByTime(60)
  await end('ada1')
  for (const number of [2, 3]) void add('ada', number)
  expect(names()).toEqual(['bob1', 'ada2'])
  vi.advanceTimersByTime(60)
  await end('ada2')
  expect(names()).toEqual(['bob1'])
})

test('an account does not pause if others together use more time', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: { ...half, share: 0.1, burst: 100 } })
  for (let nth = 1; nth <= 100; nth += 1) {
    for (const name of ['bob', 'eve', 'ada']) void add(name, nth)
    vi.advanceTimersByTime(40)
    await end(`ada${nth}`)
    vi.advanceTimersByTime(20)
    for (const name of ['bob', 'eve']) await end(`${name}${nth}`)
    await vi.advanceTimersByTimeAsync(40)
  }
  void add('ada', 101)
  expect(names()).toEqual(['ada101'])
})

test('an account with one slow job after the other pauses, although many jobs of another wait for it', async () => {
  stopClock()
  const { add, names, end } = testQueue({ ...serial, atOnce: 1 })
  for (const number of [1, 2, 3, 4]) {
    for (const name of ['ada', 'bob', 'eve']) void add(name, number)
  }
  await vi.advanceTimersByTimeAsync(60)
  await end('ada1')
  for (const name of ['bob1', 'eve1', 'bob2', 'eve2']) {
    expect(names()).toEqual([name])
    await vi.advanceTimersByTimeAsync(1)
    await end(name)
  }
})

test('an account does not pause because its few jobs are slow, while another has many that wait', async () => {
  stopClock()
  const { add, names, end } = testQueue({ atOnceEach: 1, time: half })
  for (let number = 1; number <= 20; number += 1) void add('ada', number)
  await vi.advanceTimersByTimeAsync(10)
  await end('ada1')
  for (const number of [1, 2]) {
    void add('bob', number)
    await vi.advanceTimersByTimeAsync(100)
    await end(`bob${number}`)
    await end(`ada${number + 1}`)
  }
  void add('bob', 3)
  expect(names()).toContain('bob3')
})

test('a pause ends when no other account is active any more', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: half })
  void add('ada', 1)
  vi.advanceTimersByTime(30_000)
  void add('bob', 1)
  await end('bob1')
  await end('ada1')
  void add('ada', 2)
  await vi.advanceTimersByTimeAsync(990)
  expect(names()).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  expect(names()).toEqual(['ada2'])
})

test('an account does not pause because of the time that it used alone', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: half })
  void add('ada', 1)
  vi.advanceTimersByTime(30_000)
  await end('ada1')
  for (const name of ['bob', 'ada']) void add(name, 2)
  expect(names()).toEqual(['bob2', 'ada2'])
})

test('the length of a pause is limited', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: { ...half, longestPause: 200 } })
  void add('bob', 1)
  void add('ada', 1)
  vi.advanceTimersByTime(30_000)
  await end('ada1')
  void add('ada', 2)
  await vi.advanceTimersByTimeAsync(199)
  expect(names()).toEqual(['bob1'])
  await vi.advanceTimersByTimeAsync(2)
  expect(names()).toEqual(['bob1', 'ada2'])
})

test('an account that pauses keeps its place, and other accounts do not wait for it', async () => {
  stopClock()
  const { add, names, end } = testQueue({ atOnce: 1, time: half })
  void add('bob', 1)
  await end('bob1')
  void add('ada', 1)
  vi.advanceTimersByTime(60)
  for (const name of ['bob', 'ada', 'eve']) void add(name, 2)
  await end('ada1')
  await end('bob2')
  expect(names()).toEqual(['eve2'])
  await vi.advanceTimersByTimeAsync(61)
  await end('eve2')
  expect(names()).toEqual(['ada2'])
})

test('an account does not pause because it waited for the slow job of another', async () => {
  stopClock()
  const { add, names, end } = testQueue(serial)
  void add('ada', 1)
  for (const number of [1, 2]) void add('bob', number)
  vi.advanceTimersByTime(60)
  await end('ada1')
  await end('bob1')
  expect(names()).toEqual(['bob2'])
})

test('an account does not pause if its job ended before an older slow job of another', async () => {
  stopClock()
  const { add, names, end } = testQueue(serial)
  void add('ada', 1)
  for (const number of [1, 2]) void add('bob', number)
  vi.advanceTimersByTime(60)
  await end('bob1')
  expect(names()).toEqual(['ada1', 'bob2'])
})

test('an account does not pause because of other work of the database meanwhile', async () => {
  stopClock()
  const { add, names, end, excludeOtherWork } = testQueue(serial)
  for (const number of [1, 2]) void add('ada', number)
  void add('bob', 1)
  vi.advanceTimersByTime(60)
  excludeOtherWork()
  await end('ada1')
  expect(names()).toEqual(['bob1', 'ada2'])
})

test('an account has a smaller share while others are active', async () => {
  const { add, names, end } = testQueue({ atOnceAlone: 3, atOnceEach: 1 })
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  expect(names()).toEqual(['ada1', 'ada2', 'ada3'])
  void add('bob', 1)
  await end('ada1')
  await end('ada2')
  expect(names()).toEqual(['ada3', 'bob1'])
  void add('bob', 2)
  expect(names()).toEqual(['ada3', 'bob1'])
  await end('ada3')
  expect(names()).toEqual(['bob1', 'ada4'])
})

test('waiting accounts take turns, however many jobs each has', async () => {
  const { add, names, end } = testQueue({ atOnce: 1 })
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  for (const number of [1, 2]) void add('bob', number)
  void add('eve', 1)
  const order: string[] = []
  for (let [name] = names(); name !== undefined; [name] = names()) {
    order.push(name)
    await end(name)
  }
  expect(order).toEqual(['ada1', 'ada2', 'bob1', 'eve1', 'ada3', 'bob2', 'ada4'])
})

test('the number of waiting jobs of an account is limited', async () => {
  const { add, refused } = testQueue({ waitingEach: 2 })
  const all = [1, 2, 3, 4, 5].map((number) => add('ada', number))
  await all[4]
  expect(refused).toEqual(['ada5: The server is busy. Try again later.'])
})

test('when too many jobs wait, the last job of the longest queue is refused', async () => {
  const { add, refused, names, end } = testQueue({ atOnce: 1, waiting: 3 })
  const last = [1, 2, 3, 4].map((number) => add('ada', number)).at(-1)
  void add('bob', 1)
  await last
  expect(refused).toEqual(['ada4: The server is busy. Try again later.'])
  await end('ada1')
  await end('ada2')
  expect(names()).toEqual(['bob1'])
})

test('a job that waits too long is refused', async () => {
  const { add, refused } = testQueue({ atOnceAlone: 1, waitTimeout: 20 })
  void add('ada', 1)
  await add('ada', 2)
  expect(refused).toEqual(['ada2: The server is busy. Try again later.'])
})

test('a cancelled job is dropped and the next one takes its turn', async () => {
  const { add, refused, names, end } = testQueue({ atOnceAlone: 1 })
  const controller = new AbortController()
  void add('ada', 1)
  const dropped = add('ada', 2, controller.signal)
  void add('ada', 3)
  controller.abort()
  await dropped
  await add('ada', 4, controller.signal)
  expect(refused).toEqual(['ada2: The client has disconnected.', 'ada4: The client has disconnected.'])
  await end('ada1')
  expect(names()).toEqual(['ada3'])
})

test('a failed job frees its slot', async () => {
  const queue = new FairQueue({ ...limits, atOnce: 1 })
  const failure = new Error('failed')
  await expect(queue.run({ account: 'ada' }, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(await queue.run({ account: 'bob' }, async () => 'done')).toBe('done')
})

test('a pause ends on its own, whatever fraction of a millisecond it lasts', async () => {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const { add, names, end } = testQueue(serial)
    for (const number of [1, 2]) void add('ada', number)
    void add('bob', 1)
    await setTimeout(2)
    await end('ada1')
    await expect.poll(names, { interval: 1, timeout: 5_000 }).toEqual(['bob1', 'ada2'])
  }
})
