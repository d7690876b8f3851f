import { createHash, randomBytes } from 'node:crypto'
import { link, lstat, rename, unlink } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hasCode } from './error-code.ts'
import { readSocket } from './read-socket.ts'
import type { SocketAddresses } from './socket-address.ts'

/** The holder of a lock, as it describes itself, such as `process 123`; `another process` if it does not. */
export type Holder = string

/** Releases a lock. */
export type Release = () => Promise<void>

const lockName = 'lock'
const unknownHolder = 'another process'

/**
 * Takes the lock of a folder, or returns its holder. The lock is a Unix socket that the holder listens on. The kernel closes it with
 * the process, and every process that sees the folder sees it, in any PID namespace. A socket without a listener is left
 * over from a killed process and is replaced.
 */
export async function lockFolder(folder: string, addresses: SocketAddresses): Promise<Release | Holder> {
  const path = addresses.path(lockName)
  if (process.platform === 'win32') return lockPipe(path)
  const name = `${lockName}.${randomBytes(4).toString('hex')}`
  const server = await listen(addresses.path(name))
  const mine = join(folder, name)
  try {
    const holder = await acquire(mine, folder, addresses, lockName)
    if (holder === undefined) {
      const path = join(folder, lockName)
      const taken = await claimOn(path)
      return async () => {
        // In the meantime, the folder may have been replaced and locked by another process.
        if ((await claimOn(path)) === taken) await unlink(path)
        server.close()
      }
    }
    server.close()
    return holder
  } catch (error) {
    server.close()
    throw error
  } finally {
    await unlink(mine).catch(() => undefined)
  }
}

/** Finds the holder of the lock of a folder; undefined if there is none. Changes nothing. */
export async function holderOf(addresses: SocketAddresses): Promise<Holder | undefined> {
  const said = await readSocket(addresses.path(lockName))
  return said === '' ? unknownHolder : said
}

async function acquire(
  mine: string,
  folder: string,
  addresses: SocketAddresses,
  name: string,
): Promise<Holder | undefined> {
  const path = join(folder, name)
  for (;;) {
    if (await linked(mine, path)) return undefined
    const claim = await claimOn(path)
    const said = await readSocket(addresses.path(name))
    if (said !== undefined) return said || unknownHolder
    if (claim === undefined) continue
    // Only the process that locks this dead socket may replace it, so two processes cannot both take over.
    const rival = await acquire(mine, folder, addresses, claim)
    if (rival !== undefined) return rival
    if ((await claimOn(path)) === claim) {
      await rename(join(folder, claim), path)
      return undefined
    }
    await unlink(join(folder, claim))
  }
}

/** The name of the lock for replacing a possibly dead socket, unique for each socket at this path; undefined if there is none. */
export async function claimOn(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await lstat(path, { bigint: true })
    const identity = createHash('sha256').update(`${ino} ${mtimeNs}`).digest('hex')
    return `${lockName}.after-${identity.slice(0, 8)}`
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function lockPipe(path: string): Promise<Release | Holder> {
  try {
    const server = await listen(path)
    return async () => void server.close()
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw error
    return (await readSocket(path)) || unknownHolder
  }
}

/** Tells connecting processes who holds the lock. */
function listen(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(`process ${process.pid} on ${hostname()}`)
  }).unref()
  return new Promise((resolve, reject) => server.once('error', reject).listen(path, () => resolve(server)))
}
