import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { stopClock, testQueue } from '../support/fair-queue.ts'

/** Half of the time, without a burst. Accounts are compared by the time that they were served. */
const half = { share: 0.5, burst: 0, longestPause: 60_000 }

/** The limits of a queue for a database that executes one statement after the other. */
const serial = { atOnceAlone: 1, atOnceEach: 1, isSerial: true, time: half }

afterEach(() => {
  vi.useRealTimers()
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
    vi.advanceTimersByTime(30)
    for (const name of ['bob', 'eve']) await end(`${name}${nth}`)
    vi.advanceTimersByTime(10)
    await end(`ada${nth}`)
    await vi.advanceTimersByTimeAsync(60)
  }
  for (const number of [101, 102]) void add('ada', number)
  expect(names()).toEqual(['ada101', 'ada102'])
})

test('an account pauses although another used more time long ago', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: half })
  void add('bob', 1)
  vi.advanceTimersByTime(1_000)
  await end('bob1')
  vi.advanceTimersByTime(10_000)
  for (const name of ['eve', 'ada']) void add(name, 1)
  vi.advanceTimersByTime(60)
  await end('ada1')
  void add('ada', 2)
  expect(names()).toEqual(['eve1'])
})

test('while a long job runs for an account that has used more than half of its burst, its other jobs wait', async () => {
  stopClock()
  const { add, names, end } = testQueue({ time: { ...half, burst: 50 } })
  void add('bob', 1)
  void add('ada', 1)
  vi.advanceTimersByTime(60)
  await end('ada1')
  for (const number of [2, 3]) void add('ada', number)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(names()).toEqual(['bob1', 'ada2'])
})

describe('an account with many jobs in progress', () => {
  const inProgress = { unlimited: 2, busy: 2, longestWait: 1_000, catchUp: 5 }

  /** Ada has used up her share for a minute, and so many of her jobs wait while one of bob runs. */
  async function pausedWith(jobs: number) {
    stopClock()
    const queue = testQueue({ time: { ...half, share: 0.1, inProgress }, waitTimeout: 100_000 })
    void queue.add('bob', 1)
    for (const number of [1, 2]) void queue.add('ada', number)
    vi.advanceTimersByTime(6_000)
    for (let number = 3; number < 3 + jobs; number += 1) void queue.add('ada', number)
    for (const number of [1, 2]) await queue.end(`ada${number}`)
    return queue
  }

  test('pauses for at most a second, and then runs them side by side', async () => {
    const { names } = await pausedWith(5)
    expect(names()).toEqual(['bob1'])
    await vi.advanceTimersByTimeAsync(900)
    expect(names()).toEqual(['bob1'])
    await vi.advanceTimersByTimeAsync(200)
    expect(names()).toEqual(['bob1', 'ada3', 'ada4'])
  })

  test('runs them one at a time then, if they are too many to catch up with', async () => {
    const { names, end } = await pausedWith(8)
    await vi.advanceTimersByTimeAsync(900)
    expect(names()).toEqual(['bob1'])
    await vi.advanceTimersByTimeAsync(200)
    expect(names()).toEqual(['bob1', 'ada3'])
    await end('ada3')
    expect(names()).toEqual(['bob1', 'ada4'])
  })
})

test('an account with one slow job after another pauses, although many jobs of others wait for it', async () => {
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
  void add('bob', 3)
  await end('bob2')
  expect(names()).toEqual(['eve2'])
  await vi.advanceTimersByTimeAsync(61)
  await end('eve2')
  expect(names()).toEqual(['ada2'])
})

test('an account pauses while another is active outside the queue', async () => {
  stopClock()
  const { add, names, end, noteActive } = testQueue(serial)
  for (const number of [1, 2]) void add('ada', number)
  noteActive('bob')
  vi.advanceTimersByTime(60)
  await end('ada1')
  expect(names()).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(names()).toEqual(['ada2'])
})

test('an account does not pause because it waited for the slow job of another', async () => {
  stopClock()
  const { add, names, end } = testQueue(serial)
  void add('ada', 1)
  for (const number of [1, 2]) void add('bob', number)
  vi.advanceTimersByTime(60)
  await end('ada1')
  vi.advanceTimersByTime(1)
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

test('an account does not pause for time that the database spent on other work', async () => {
  stopClock()
  const { add, names, end, excludeOtherWork } = testQueue(serial)
  for (const number of [1, 2]) void add('ada', number)
  void add('bob', 1)
  vi.advanceTimersByTime(60)
  excludeOtherWork()
  await end('ada1')
  expect(names()).toEqual(['bob1', 'ada2'])
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
