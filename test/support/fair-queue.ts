import { vi } from 'vitest'
import { FairQueue, type QueueLimits } from '../../src/data/fair-queue.ts'

/** The limits of a queue, which each test changes. */
export const limits: QueueLimits = {
  atOnce: 4,
  atOnceAlone: 2,
  atOnceEach: 2,
  slow: 60_000,
  isSerial: false,
  waiting: 100,
  waitingEach: 50,
  waitTimeout: 60_000,
}

/** Stops the clock of the queue until the end of the test, so that only the test moves it. Call `vi.useRealTimers()` after the test. */
export const stopClock = () => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })

/** A queue whose jobs run until they are ended, in any order. */
export function testQueue(changed: Partial<QueueLimits> = {}) {
  const queue = new FairQueue({ ...limits, ...changed })
  const running: { readonly name: string; readonly end: () => void }[] = []
  const refused: string[] = []
  return {
    refused,
    excludeOtherWork: () => queue.excludeOtherWork(),
    noteActive: (account: string) => queue.noteActive(account),
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
