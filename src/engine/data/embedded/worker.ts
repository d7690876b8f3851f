import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { fixedSettings, servingSettings } from '../serving-settings.ts'
import type { WorkerStart } from './database-thread.ts'
import { clusterIn, ensureCluster } from './folder.ts'
import { PostgresConnection, Session } from './session.ts'

// The thread of the embedded database: PGlite on a folder, behind a socket for this user only.

/** It keeps less of the log for reuse than a server, to keep the folder small. */
const settings = { ...fixedSettings, ...servingSettings, min_wal_size: '32MB', max_wal_size: '128MB' }

/** How often to check whether a checkpoint is due, in milliseconds. */
const checkInterval = 3_000

async function makeCluster(folder: string, prebuilt: string | undefined): Promise<void> {
  if (prebuilt === undefined) {
    await (await PGlite.create({ dataDir: folder })).close()
    return
  }
  const { extract } = await import('tar')
  // Of its thousand small files, concurrent reads take three times as long.
  extract({ file: prebuilt, cwd: folder, strict: true, sync: true })
}

async function listen(session: Session, path: string) {
  let number = 0
  const server = createServer((socket) => {
    number += 1
    new PostgresConnection(socket, session, number)
  })
  const isFile = process.platform !== 'win32'
  // The process holds the lock of the folder, so an existing socket has no listener.
  if (isFile) await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  if (isFile) await chmod(path, 0o600)
  return server
}

const { folder, prebuilt, socket }: WorkerStart = workerData
const isNew = await ensureCluster(folder, (into) => makeCluster(into, prebuilt))
const startParams = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const pglite = await PGlite.create({
  dataDir: clusterIn(folder),
  startParams: [...PGlite.defaultStartParams, ...startParams],
})
// If PostgreSQL aborts, for example because the disk is full, the call into it never returns.
pglite.Module.onAbort = () => process.exit(1)
const session = new Session(pglite)
const server = await listen(session, socket)
setInterval(() => session.checkpoint(), checkInterval)
parentPort?.once('message', async () => {
  server.close()
  await pglite.close()
  process.exit(0)
})
parentPort?.postMessage(isNew)
