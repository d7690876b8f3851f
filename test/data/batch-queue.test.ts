import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BatchQueue } from '../../src/data/batch-queue.ts'

const limits = { inProgress: 1, batchSize: 3, waitTimeout: 60_000 }

/** A queue whose batches run until they are ended. */
function testQueue(changed: Partial<typeof limits> = {}) {
  const batches: { readonly inputs: readonly number[]; readonly end: () => void }[] = []
  let idle = 0
  const queue = new BatchQueue<number, string>(
    { ...limits, ...changed },
    async (jobs) => {
      await new Promise<void>((resolve) => batches.push({ inputs: jobs.map(({ input }) => input), end: resolve }))
      for (const { input, resolve } of jobs) resolve(`done ${input}`)
    },
    () => {
      idle += 1
    },
  )
  return {
    idle: () => idle,
    inputs: () => batches.map(({ inputs }) => inputs),
    add: (input: number, signal?: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        queue.add({ input, requester: { account: 'ada', signal }, since: performance.now(), resolve, reject })
      }).catch((error: Error) => error.message),
    /** Lets what has been added start. */
    settle: () => new Promise(setImmediate),
    end: async (nth: number) => {
      batches[nth]?.end()
      await new Promise(setImmediate)
    },
  }
}

test('jobs of one turn start in one batch, and the next ones wait for its end', async () => {
  const { add, inputs, settle, end, idle } = testQueue()
  const first = [1, 2].map((input) => add(input))
  await settle()
  const later = [3, 4, 5, 6].map((input) => add(input))
  await settle()
  expect(inputs()).toEqual([[1, 2]])
  await end(0)
  expect(inputs()).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
  await end(1)
  await end(2)
  expect(await Promise.all([...first, ...later])).toEqual([1, 2, 3, 4, 5, 6].map((input) => `done ${input}`))
  expect(idle()).toBe(1)
})

test('a limited number of batches run at once', async () => {
  const { add, inputs, settle, end } = testQueue({ inProgress: 2, batchSize: 1 })
  for (const input of [1, 2, 3]) void add(input)
  await settle()
  expect(inputs()).toEqual([[1], [2]])
  await end(1)
  expect(inputs()).toEqual([[1], [2], [3]])
})

test('a job that has waited for too long is refused, and those after it run', async () => {
  const { add, inputs, settle, end } = testQueue({ waitTimeout: 500 })
  void add(1)
  await settle()
  expect(await add(2)).toBe('The server is busy. Try again later.')
  const done = add(3)
  await end(0)
  expect(inputs()).toEqual([[1], [3]])
  await end(1)
  expect(await done).toBe('done 3')
})

test('a waiting job is dropped when its client has disconnected', async () => {
  const { add, inputs, settle, end } = testQueue()
  void add(1)
  await settle()
  const controller = new AbortController()
  const [dropped, kept] = [add(2, controller.signal), add(3)]
  await setTimeout(100)
  controller.abort()
  await end(0)
  expect(await dropped).toBe('The client has disconnected.')
  expect(inputs()).toEqual([[1], [3]])
  await end(1)
  expect(await kept).toBe('done 3')
})
