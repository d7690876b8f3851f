import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { Batcher } from '../../src/data/batcher.ts'

test('the runs of a batch that failed are repeated a few at a time, and only the bad one fails', async () => {
  let [running, most] = [0, 0]
  const batcher = new Batcher({
    inProgress: 5,
    batchSize: 50,
    waitTimeout: 60_000,
    executions: pLimit(5),
    repeated: 3,
    hasTimedOut: () => false,
    mayRunAlone: () => true,
    isTransient: () => false,
    execute: async ({ values: [number] }) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      if (Array.isArray(number) || number === 7) throw new RangeError('7 is bad')
      return [{ number: String(number) }]
    },
  })
  const numbers = Array.from({ length: 20 }, (_, number) => number)
  const answers = await Promise.allSettled(
    numbers.map((number) => batcher.run({ text: 'select $1::int as number', values: [number], isBuiltIn: false })),
  )
  expect(answers).toMatchObject(
    numbers.map((number) =>
      number === 7
        ? { status: 'rejected', reason: { message: '7 is bad' } }
        : { status: 'fulfilled', value: [{ number: String(number) }] },
    ),
  )
  expect(most).toBe(3)
})
