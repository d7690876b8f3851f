import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../log.ts'

/** What the thread starts with. */
export type WorkerStart = {
  /** `DATA_DIR`. */
  readonly folder: string
  /** The prebuilt cluster that a new database starts from, if there is one. */
  readonly prebuilt: string | undefined
  /** The socket to listen on. */
  readonly socket: string
  /** How often the thread reports that it is not busy, in milliseconds. */
  readonly interval: number
}

/** An open embedded database. */
export type DatabaseThread = { readonly isNew: boolean; close(): Promise<void> }

/** The time limit of a statement, in milliseconds. */
const longestStatement = 30_000

/** After how many missing reports a statement counts as hung. */
const mostMissing = 10

/** The exit code of database errors. */
const exitCode = 4

/** Worker threads load JavaScript only, so this is always the built file. */
const workerFile = createRequire(import.meta.url).resolve('#embedded-worker')

/**
 * Starts the thread that runs PGlite. Throws an `Error` with the reason if it cannot start. If it ends later, or a statement exceeds
 * the time limit, which nothing can interrupt, the process ends: committed writes are in the files, and the next start recovers them.
 */
export async function startThread(
  start: Omit<WorkerStart, 'interval'>,
  log: Log,
  limit = longestStatement,
): Promise<DatabaseThread> {
  const interval = limit / mostMissing
  const worker = new Worker(workerFile, { workerData: { ...start, interval } satisfies WorkerStart })
  const isNew = await new Promise<boolean>((resolve, reject) => {
    worker.once('message', resolve).once('error', (error) => reject(reasonOf(error)))
    worker.once('exit', () => reject(new Error('PostgreSQL ended while it was starting')))
  })
  let isClosing = false
  const endProcess = (reason: string): void => {
    log.fatal(`the process ends, because ${reason}`)
    process.exit(exitCode)
  }
  let reason = 'PostgreSQL aborted, perhaps because its disk is full'
  worker.on('error', ({ message }) => {
    reason = message
  })
  worker.once('exit', () => {
    if (!isClosing) endProcess(`the embedded database ended: ${reason}`)
  })
  let missing = 0
  worker.on('message', () => {
    missing = 0
  })
  const watch = setInterval(() => {
    missing += 1
    if (missing > mostMissing) endProcess(`a statement ran for more than ${limit / 1_000} seconds`)
  }, interval).unref()
  return {
    isNew,
    close: async () => {
      isClosing = true
      worker.postMessage('close')
      await once(worker, 'exit')
      clearInterval(watch)
    },
  }
}

/** If PostgreSQL aborts because of its files, the error does not contain the reason. */
function reasonOf(error: Error): Error {
  const isAborted = error.name === 'RuntimeError' || error.message.startsWith('PGlite failed to initialize')
  return isAborted ? new Error('PostgreSQL cannot start: its disk is full, or its files are damaged') : error
}
