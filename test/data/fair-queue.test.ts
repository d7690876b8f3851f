import { expect, test } from 'vitest'
import { FairQueue, type QueueLimits } from '../../src/data/fair-queue.ts'

const limits: QueueLimits = {
  atOnce: 4,
  atOnceAlone: 2,
  atOnceEach: 2,
  slow: 60_000,
  waiting: 100,
  waitingEach: 50,
  patience: 60_000,
}

/** A queue whose jobs run until they are ended, in any order. */
function testQueue(changed: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...limits, ...changed })
  const running: { readonly name: string; readonly end: () => void }[] = []
  const refused: string[] = []
  return {
    refused,
    names: () => running.map(({ name }) => name),
    add: (account: string, number: number, signal?: AbortSignal) => {
      const name = `${account}${number}`
      const work = () => new Promise<void>((resolve) => running.push({ name, end: resolve }))
      return queue.run({ account, signal }, work).catch((error: Error) => {
        refused.push(`${name}: ${error.message}`)
      })
    },
    /** Ends a job, and lets what follows from it happen. */
    end: async (name: string) => {
      const at = running.findIndex((job) => job.name === name)
      for (const job of running.splice(at, at < 0 ? 0 : 1)) job.end()
      await new Promise(setImmediate)
    },
  }
}

test('an account has its share at once, also while places are free', async () => {
  const { add, names, end } = testQueue()
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  expect(names()).toEqual(['ada1', 'ada2'])
  for (const number of [1, 2]) void add('bob', number)
  expect(names()).toEqual(['ada1', 'ada2', 'bob1', 'bob2'])
  await end('ada2')
  expect(names()).toEqual(['ada1', 'bob1', 'bob2', 'ada3'])
})

test('an account whose last job was slow has the smaller share also while it is alone', async () => {
  const { add, names, end } = testQueue({ atOnceAlone: 2, atOnceEach: 1, slow: 0 })
  for (const number of [1, 2, 3, 4]) void add('ada', number)
  expect(names()).toEqual(['ada1', 'ada2'])
  await end('ada1')
  expect(names()).toEqual(['ada2'])
  await end('ada2')
  expect(names()).toEqual(['ada3'])
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

test('accounts that wait take turns, however much each has waiting', async () => {
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

test('what an account has waiting is bounded', async () => {
  const { add, refused } = testQueue({ waitingEach: 2 })
  const all = [1, 2, 3, 4, 5].map((number) => add('ada', number))
  await all[4]
  expect(refused).toEqual(['ada5: The database is busy: try again later.'])
})

test('when too much waits in all, the last of the longest line is refused', async () => {
  const { add, refused, names, end } = testQueue({ atOnce: 1, waiting: 3 })
  const last = [1, 2, 3, 4].map((number) => add('ada', number)).at(-1)
  void add('bob', 1)
  await last
  expect(refused).toEqual(['ada4: The database is busy: try again later.'])
  await end('ada1')
  await end('ada2')
  expect(names()).toEqual(['bob1'])
})

test('what waits for too long is refused', async () => {
  const { add, refused } = testQueue({ atOnceAlone: 1, patience: 20 })
  void add('ada', 1)
  await add('ada', 2)
  expect(refused).toEqual(['ada2: The database is busy: try again later.'])
})

test('what nobody waits for any more is dropped, and the next in line takes its turn', async () => {
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

test('a place is free again after a job that failed', async () => {
  const queue = new FairQueue({ ...limits, atOnce: 1 })
  const failure = new Error('failed')
  await expect(queue.run({ account: 'ada' }, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(await queue.run({ account: 'bob' }, async () => 'done')).toBe('done')
})
