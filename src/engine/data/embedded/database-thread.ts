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
}

/** An open embedded database. */
type DatabaseThread = { readonly isNew: boolean; close(): Promise<void> }

/** The exit code of database errors. */
const exitCode = 4

/** Worker threads load JavaScript only, so this is always the built file. */
const workerFile = createRequire(import.meta.url).resolve('#embedded-worker')

/**
 * Starts the thread that runs PGlite. Throws an `Error` with the reason if it cannot start. If it ends later, the process ends:
 * committed writes are in the files, and the next start recovers them.
 */
export async function startThread(start: WorkerStart, log: Log): Promise<DatabaseThread> {
  const worker = new Worker(workerFile, { workerData: start })
  const isNew = await new Promise<boolean>((resolve, reject) => {
    worker.once('message', resolve).once('error', (error) => reject(reasonOf(error)))
    worker.once('exit', () => reject(new Error('PostgreSQL ended while it was starting')))
  })
  let isClosing = false
  let reason = 'PostgreSQL aborted, perhaps because its disk is full'
  worker.on('error', ({ message }) => {
    reason = message
  })
  worker.once('exit', () => {
    if (isClosing) return
    log.fatal(`the process ends, because the embedded database ended: ${reason}`)
    process.exit(exitCode)
  })
  return {
    isNew,
    close: async () => {
      isClosing = true
      worker.postMessage('close')
      await once(worker, 'exit')
    },
  }
}

/** If PostgreSQL aborts because of its files, the error does not contain the reason. */
function reasonOf(error: Error): Error {
  const isAborted = error.name === 'RuntimeError' || error.message.startsWith('PGlite failed to initialize')
  return isAborted ? new Error('PostgreSQL cannot start: its disk is full, or its files are damaged') : error
}
