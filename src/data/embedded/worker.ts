import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { servingSettings } from '../serving-settings.ts'
import { Checkpoints } from './checkpoints.ts'
import { DiskGuard } from './disk-guard.ts'
import { clusterIn, ensureCluster } from './folder.ts'
import { type Hooks, Session } from './session.ts'
import { SessionSettings } from './session-settings.ts'
import { serveSocket } from './socket-server.ts'
import type { WorkerMessage, WorkerStart } from './worker-messages.ts'

// The thread of the embedded database: PGlite on a folder, behind a socket.

/** The initial settings of the session. It keeps less of the log for reuse than a server, to keep the folder small. */
const settings = { ...servingSettings, min_wal_size: '32MB', max_wal_size: '128MB' }
const startParams = [
  ...PGlite.defaultStartParams,
  ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

async function makeCluster(folder: string, prebuilt: string | undefined): Promise<void> {
  if (prebuilt === undefined) {
    await (await PGlite.create({ dataDir: folder })).close()
    return
  }
  const { extract } = await import('tar')
  // There are a thousand small files; reading them concurrently takes a third of the time.
  extract({ file: prebuilt, cwd: folder, strict: true, sync: true })
}

async function start(options: WorkerStart, parent: MessagePort): Promise<void> {
  const { folder, mayMake, prebuilt, socket, longestHold, deadline } = options
  const say = (message: WorkerMessage) => parent.postMessage(message)
  const isNew = await ensureCluster(folder, mayMake, (into) => makeCluster(into, prebuilt))
  const pglite = await PGlite.create({ dataDir: clusterIn(folder), startParams })
  const ended = () => process.exit(1)
  // If PostgreSQL terminates, for example because the disk is full, the call into it never returns.
  pglite.Module.onAbort = ended
  const hooks: Hooks = {
    setDeadline: (time) => Atomics.store(deadline, 0, BigInt(time)),
    enter: (client) => clientSettings.enter(client),
    before: () => guard.check(),
    after: () => checkpoints.noteWork(),
    ended,
  }
  const session = new Session(pglite, hooks, longestHold)
  const clientSettings = new SessionSettings(session)
  const guard = new DiskGuard(folder, session, (isFull) => say({ kind: 'disk', isFull }))
  const checkpoints = new Checkpoints(session)
  const server = await serveSocket(session, socket)
  parent.once('message', async () => {
    await server.close()
    await pglite.close()
    process.exit(0)
  })
  say({ kind: 'ready', isNew })
}

/** If PostgreSQL aborts because of its files, WebAssembly throws an error that does not contain the reason. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'RuntimeError')
    return 'PostgreSQL cannot start from these files: restore a backup'
  return error instanceof Error ? error.message : String(error)
}

const port = parentPort
if (port === null) throw new TypeError('This is a worker thread')
const options: WorkerStart = workerData
await start(options, port).catch((error: unknown) => {
  const message: WorkerMessage = { kind: 'refused', reason: reasonOf(error) }
  port.postMessage(message)
  port.close()
})
