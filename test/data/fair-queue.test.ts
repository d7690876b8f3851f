import { afterEach, expect, test, vi } from 'vitest'
import { FairQueue } from '../../src/data/fair-queue.ts'
import { limits, stopClock, testQueue } from '../support/fair-queue.ts'

afterEach(() => {
  vi.useRealTimers()
})

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

test('when no other account is active any more, waiting jobs start although a job of their account still runs', async () => {
  stopClock()
  const { add, names, end } = testQueue({ atOnceAlone: 3, atOnceEach: 1 })
  void add('bob', 1)
  for (const number of [1, 2, 3]) void add('ada', number)
  await end('bob1')
  await vi.advanceTimersByTimeAsync(990)
  expect(names()).toEqual(['ada1'])
  await vi.advanceTimersByTimeAsync(120)
  expect(names()).toEqual(['ada1', 'ada2', 'ada3'])
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
