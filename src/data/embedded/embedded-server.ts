import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../log.ts'
import { DatabaseError } from '../database-error.ts'
import { prepareFolder } from './folder.ts'
import { type Holder, holderOf, lockFolder } from './folder-lock.ts'
import { isListening } from './read-socket.ts'
import { connectionTo, type SocketAddresses, socketAddresses, socketName } from './socket-address.ts'
import { supervise } from './supervisor.ts'

/** The port numbers in the socket names of a server, where other programs look for it, and of a command. */
const serverPort = 5432
const commandPort = 5433

/** How long to wait for a database that a command uses or a server is starting, and how often to check, in milliseconds. */
const busyTimeout = 30_000
const busyInterval = 100

/** Who opens an embedded database. A server needs it exclusively; a command connects to a running server. */
export type Opener = 'server' | 'command'

/** An embedded database that accepts connections. */
export type EmbeddedServer = {
  /** Whether it was created on opening. */
  readonly isNew: boolean
  readonly connection: pg.ClientConfig
  /** Releases it, and closes the database if it was opened here. */
  close(): Promise<void>
}

/** Which database to open, and for whom. `prebuilt` is the cluster that a new database starts from. */
export type EmbeddedOptions = {
  readonly folder: string
  readonly opener: Opener
  readonly prebuilt: string | undefined
  /** Overrides how long a client can hold a transaction while others wait, in milliseconds. */
  readonly longestHold?: number | undefined
  /** Called when the thread of the database starts, so that the caller can load modules in the meantime. */
  readonly onStarting?: (() => void) | undefined
}

/** Opens the database of a folder, and creates it if necessary. Throws a `DatabaseError` if another process uses it. */
export async function openEmbedded(options: EmbeddedOptions, log: Log): Promise<EmbeddedServer> {
  const folder = resolve(options.folder)
  const refuse = (cause: unknown): never => {
    if (cause instanceof DatabaseError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatabaseError(`DATA_DIR: cannot use ${folder}: ${reason}`, { cause })
  }
  await prepareFolder(folder).catch(refuse)
  const addresses = await socketAddresses(folder).catch(refuse)
  try {
    const server = await connectOrStart({ ...options, folder }, addresses, log)
    return { ...server, close: () => server.close().finally(addresses.release) }
  } catch (error) {
    await addresses.release()
    return refuse(error)
  }
}

/** The process that uses the database of a folder, and whether it accepts connections. */
export type EmbeddedUse = { readonly holder: Holder; readonly isServed: boolean }

/** Finds the process that uses the database of a folder; undefined if there is none. Changes nothing. */
export async function embeddedUse(folder: string): Promise<EmbeddedUse | undefined> {
  const addresses = await socketAddresses(folder)
  try {
    const holder = await holderOf(addresses)
    if (holder === undefined) return undefined
    return { holder, isServed: await isListening(addresses.path(socketName(serverPort))) }
  } finally {
    await addresses.release()
  }
}

async function connectOrStart(options: EmbeddedOptions, addresses: SocketAddresses, log: Log): Promise<EmbeddedServer> {
  const shared = addresses.path(socketName(serverPort))
  for (const end = Date.now() + busyTimeout; ; ) {
    const isServed = await isListening(shared)
    if (isServed && options.opener === 'command')
      return { isNew: false, connection: connectionTo(shared), close: async () => {} }
    const lock = await lockFolder(options.folder, addresses)
    if (typeof lock !== 'string') return startLocked(options, addresses, lock, log)
    if (isServed || Date.now() >= end) {
      throw new DatabaseError(`DATA_DIR: ${options.folder} is in use by ${lock}.`, {
        advice: 'Stop that process, or set DATA_DIR to another folder.',
      })
    }
    await sleep(busyInterval)
  }
}

async function startLocked(
  { folder, opener, prebuilt, longestHold, onStarting }: EmbeddedOptions,
  addresses: SocketAddresses,
  unlock: () => Promise<void>,
  log: Log,
): Promise<EmbeddedServer> {
  const socket = addresses.path(socketName(opener === 'server' ? serverPort : commandPort))
  try {
    const supervising = supervise({ folder, prebuilt, socket, longestHold }, log)
    onStarting?.()
    const { isNew, close } = await supervising
    return { isNew, connection: connectionTo(socket), close: () => close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
}
