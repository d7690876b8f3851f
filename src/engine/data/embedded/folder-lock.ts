import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { SocketAddresses } from './socket-address.ts'

/** Releases a lock. */
export type Release = () => void

/** The names of locks: with the number of the process, and unique. */
const lockName = /^lock\.(\d+)\.[0-9a-f]{8}$/

/** The errors of a socket without a listener, and of a file that is not a socket. */
const deadCodes = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'])

/**
 * Takes the lock of a folder, or returns its holder, such as `process 123`. Two that try at the same moment may each find the other as the
 * holder. The lock is a Unix socket with a name of its own, and whoever finds another that is listened on has no lock. The kernel stops the
 * listening with the process, and every process that sees the folder sees the socket, in any PID namespace.
 */
export async function lockFolder(folder: string, addresses: SocketAddresses): Promise<Release | string> {
  // A named pipe of Windows disappears with its process, so there one name is enough.
  const isPipe = process.platform === 'win32'
  const name = isPipe ? 'lock' : `lock.${process.pid}.${randomBytes(4).toString('hex')}`
  const server = createServer((socket) => socket.destroy()).unref()
  const release = () => void server.close()
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(addresses.path(name), resolve))
    const holder = isPipe ? undefined : await otherHolder(folder, addresses, name)
    if (holder === undefined) return release
    release()
    return holder
  } catch (error) {
    release()
    if (isPipe && hasCode(error, 'EADDRINUSE')) return 'another process'
    throw error
  }
}

async function otherHolder(folder: string, addresses: SocketAddresses, own: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    const process = lockName.exec(name)?.[1]
    if (process === undefined || name === own) continue
    if (await isListening(addresses.path(name))) return `process ${process}`
    // Left by a killed process. Nobody uses the name again.
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

/** Whether a socket has a listener. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', (error) => resolve(![...deadCodes].some((code) => hasCode(error, code))))
  })
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
