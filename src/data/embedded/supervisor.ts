import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { DatabaseThread } from './database-thread.ts'
import type { WorkerStart } from './worker-messages.ts'

/** How often the deadline is looked at, and how far a statement may be past it, in milliseconds. */
const watchInterval = 100
const grace = 250

/** The pause before the next start, in milliseconds: none at first, then this, doubled each time up to the longest. */
const firstPause = 250
const longestPause = 30_000

/** A thread that ends sooner than this after its start makes the pause longer, in milliseconds. */
const early = 2_000

/** Keeps an embedded database running. */
export type Supervisor = {
  /** Whether the first start made the database. */
  readonly isNew: boolean
  /** Closes the database. */
  close(): Promise<void>
}

/**
 * Starts the thread of an embedded database and watches it. When it spins, runs a statement past its deadline, or dies, another takes
 * its place on the same folder. Throws an `Error` with the reason when the first start fails.
 */
export async function supervise(start: Omit<WorkerStart, 'deadline' | 'mayMake'>, log: Log): Promise<Supervisor> {
  const deadline = new BigInt64Array(new SharedArrayBuffer(8))
  const startThread = (mayMake: boolean) => new DatabaseThread({ ...start, mayMake, deadline }, log)
  let thread = startThread(true)
  let isClosing = false
  const isNew = await thread.ready

  const watch = setInterval(() => {
    const due = Number(Atomics.load(deadline, 0))
    if (due === 0 || Date.now() <= due + grace) return
    Atomics.store(deadline, 0, 0n)
    log.error('a statement ran past its time limit: restarting the embedded database')
    void thread.kill()
  }, watchInterval).unref()

  const replaceEnded = async (): Promise<void> => {
    let pause = 0
    for (let since = Date.now(); ; since = Date.now()) {
      await thread.ended
      if (isClosing) return
      pause = Date.now() - since < early ? Math.min(Math.max(2 * pause, firstPause), longestPause) : 0
      log.error({ pause }, 'the embedded database ended: starting it again')
      await sleep(pause, undefined, { ref: false })
      if (isClosing) return
      Atomics.store(deadline, 0, 0n)
      // A folder that was removed meanwhile is not replaced by an empty database.
      thread = startThread(false)
      await thread.ready.catch((err) => log.error({ err }, 'the embedded database could not start'))
    }
  }
  void replaceEnded()

  return {
    isNew,
    close: async () => {
      isClosing = true
      clearInterval(watch)
      await thread.close()
    },
  }
}
