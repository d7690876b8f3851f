import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../log.ts'
import type { Backend } from '../backend.ts'
import { DatabaseError, DatabaseInUse, messageOf } from '../database-error.ts'
import { startThread } from './database-thread.ts'
import { embeddedVersion, prepareFolder, versionIn } from './folder.ts'
import {
  connectionTo,
  isListening,
  lockFolder,
  type SocketAddresses,
  socketAddresses,
  socketName,
} from './folder-lock.ts'

/** The port numbers in the socket names of a server, where other programs look for it, and of a command. */
const ports = { server: 5432, command: 5433 } as const

/** How long to wait for a database that a command uses or a server is starting, and how often to check, in milliseconds. */
const busyTimeout = 30_000
const busyInterval = 100

/** Who opens an embedded database. A server needs it for itself; a command connects to a running server. */
export type Opener = keyof typeof ports

/** An embedded database that accepts connections. */
export type EmbeddedServer = {
  /** Whether it was created on opening. */
  readonly isNew: boolean
  readonly connection: pg.ClientConfig
  /** Releases it, and closes the database if it was opened here. */
  close(): Promise<void>
}

/** Which database to open, and for whom. `prebuilt` is the cluster that a new database starts from. */
type EmbeddedOptions = {
  readonly folder: string
  readonly opener: Opener
  readonly prebuilt: string | undefined
  /** Called when the thread of the database starts, so that the caller can load modules in the meantime. */
  readonly onStarting?: (() => void) | undefined
}

/** Opens the database of a folder, and creates it if necessary. Throws a `DatabaseError` if another process uses it. */
export async function openEmbedded(options: EmbeddedOptions, log: Log): Promise<EmbeddedServer> {
  const folder = resolve(options.folder)
  let addresses: SocketAddresses | undefined
  try {
    await prepareFolder(folder)
    const found = await versionIn(folder)
    if (found !== undefined && found !== embeddedVersion)
      throw new DatabaseError(
        `DATA_DIR: ${folder} is of PostgreSQL ${found}, and this Rookery embeds ${embeddedVersion}.`,
        {
          advice:
            'Use the Rookery that wrote it, or move its accounts: "rookery user export" there, "rookery user import" here.',
        },
      )
    addresses = await socketAddresses(folder)
    const { release } = addresses
    const server = await connectOrStart({ ...options, folder }, addresses, log)
    return { ...server, close: () => server.close().finally(release) }
  } catch (cause) {
    await addresses?.release()
    if (cause instanceof DatabaseError) throw cause
    throw new DatabaseError(`DATA_DIR: cannot use ${folder}: ${messageOf(cause)}`, { cause })
  }
}

async function connectOrStart(options: EmbeddedOptions, addresses: SocketAddresses, log: Log): Promise<EmbeddedServer> {
  const { folder, opener } = options
  const shared = addresses.path(socketName(ports.server))
  for (const end = performance.now() + busyTimeout; ; ) {
    const isServed = await isListening(shared)
    if (isServed && opener === 'command')
      return { isNew: false, connection: connectionTo(shared), close: async () => {} }
    const lock = await lockFolder(folder, addresses)
    if (typeof lock !== 'string') return startLocked(options, addresses, lock, log)
    if (isServed || performance.now() >= end) {
      throw new DatabaseInUse(`DATA_DIR: ${folder} is in use by ${lock}.`, {
        advice: 'Stop that process, or set DATA_DIR to another folder.',
      })
    }
    // At random, so that two processes that try at the same moment do not meet again.
    await sleep(busyInterval * (0.5 + Math.random()))
  }
}

async function startLocked(
  { folder, opener, prebuilt, onStarting }: EmbeddedOptions,
  addresses: SocketAddresses,
  unlock: () => void,
  log: Log,
): Promise<EmbeddedServer> {
  const socket = addresses.path(socketName(ports[opener]))
  try {
    const starting = startThread({ folder, prebuilt, socket }, log)
    onStarting?.()
    const { isNew, close } = await starting
    return { isNew, connection: connectionTo(socket), close: () => close().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The number of connections that share the session of the embedded database. 8 instead of 4 gave a tenth more throughput. */
const poolSize = 8

/** Opens the embedded database of a folder, and creates it if necessary. Throws a `DatabaseError` if it is not usable. */
export async function openEmbeddedBackend(
  options: EmbeddedOptions,
  log: Log,
): Promise<{ readonly backend: Backend; readonly isNew: boolean }> {
  // Imported late: it loads the driver while the database starts.
  const load = () => import('../pooled-backend.ts')
  const onStarting = () => {
    void load()
    options.onStarting?.()
  }
  const { connection, isNew, close } = await openEmbedded({ ...options, onStarting }, log)
  const { openPooledBackend } = await load()
  const pool = { size: poolSize, serves: options.opener === 'server', isSerial: true, schema: 'public' }
  const backend = openPooledBackend([connection], pool, log)
  return { isNew, backend: { ...backend, close: () => backend.close().finally(close) } }
}
