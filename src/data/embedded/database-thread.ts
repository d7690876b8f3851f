import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../log.ts'
import { closeMessage, type WorkerMessage, type WorkerStart } from './worker-messages.ts'

/** The time limit of a start, in milliseconds. It may include crash recovery. */
const startTimeout = 120_000

/** The time limit for closing the database, in milliseconds. */
const closeTimeout = 5_000

/** The maximum heap of the thread in MiB, without the memory of PGlite. Beyond it, the thread ends instead of the process. */
const heapLimit = 256

/** Worker threads load JavaScript only, so this is always the built file. */
const workerFile = createRequire(import.meta.url).resolve('#embedded-worker')

/** The thread that runs PGlite. */
export class DatabaseThread {
  readonly #worker: Worker
  /** Resolves when the database is ready, with whether it was created. Rejects with the reason if it cannot start. */
  readonly ready: Promise<boolean>
  /** Resolves when the thread has ended, for any reason. */
  readonly ended: Promise<void>

  constructor(start: WorkerStart, log: Log) {
    const worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: heapLimit },
    })
    this.#worker = worker
    this.ended = new Promise((resolve) => worker.once('exit', () => resolve()))
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => worker.terminate(), startTimeout).unref()
      worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'ready') resolve(message.isNew)
        else if (message.kind === 'refused') reject(new Error(message.reason))
        else if (message.isFull)
          log.error('the disk of DATA_DIR is nearly full: writes are refused until there is room')
        else log.warn('the disk of DATA_DIR has room again: writes are accepted')
        clearTimeout(timer)
      })
      worker.on('error', (err) => {
        log.error({ err }, 'the embedded database failed')
        reject(err)
      })
      worker.once('exit', () => reject(new Error('PostgreSQL ended while it was starting')))
    })
  }

  /** Ends the thread at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  /** Closes the database and ends the thread. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#worker.terminate(), closeTimeout)
    this.#worker.postMessage(closeMessage)
    await this.ended
    clearTimeout(timer)
  }
}
