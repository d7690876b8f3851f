import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { DatabaseThread } from './database-thread.ts'
import type { WorkerStart } from './worker-messages.ts'

/** How often the deadline is checked, and by how much a statement can exceed it, in milliseconds. */
const watchInterval = 100
const grace = 250

/** The pause before a restart, in milliseconds: none at first, then this, doubled each time up to the maximum. */
const firstPause = 250
const longestPause = 30_000

/** A thread that ends within this many milliseconds of its start increases the pause. */
const early = 2_000

/** Keeps an embedded database running. */
export type Supervisor = {
  /** Whether the first start created the database. */
  readonly isNew: boolean
  /** Closes the database. */
  close(): Promise<void>
}

/**
 * Starts the thread of an embedded database and watches it. If it hangs, exceeds a deadline, or ends, a new thread
 * opens the same folder. Throws an `Error` with the reason if the first start fails.
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
      // If the folder was removed in the meantime, it is not replaced by an empty database.
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
