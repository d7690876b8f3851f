import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { connect, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'

/** The maximum length of a Unix socket path in bytes: 104 on macOS and 108 on Linux, including the terminating byte. */
const longestPath = 103

/** The longest socket name in a folder. */
const longestName = `lock.${2 ** 22}.01234567`

/** Paths of the sockets of one folder. */
export type SocketAddresses = {
  /** The path of the socket with this name. */
  path(name: string): string
  /** Removes the symbolic link that shortened the paths. */
  release(): Promise<void>
}

/** The name of the socket that PostgreSQL clients use for a port. */
export const socketName = (port: number): string => `.s.PGSQL.${port}`

/** The sockets of a folder. Long paths are shortened with a symbolic link; on Windows, the sockets are named pipes. */
export async function socketAddresses(folder: string): Promise<SocketAddresses> {
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(folder.toLowerCase()).digest('hex').slice(0, 32)
    return { path: (name) => `\\\\.\\pipe\\rookery-${hash}-${name}`, release: async () => {} }
  }
  if (Buffer.byteLength(join(folder, longestName)) <= longestPath)
    return { path: (name) => join(folder, name), release: async () => {} }
  const temporary = await mkdtemp(join(tmpdir(), 'rookery-')).catch((cause: unknown) => {
    throw new Error(`its path is too long for a socket, and ${tmpdir()} (TMPDIR) takes no link to it`, { cause })
  })
  const link = join(temporary, 'd')
  await symlink(folder, link)
  return { path: (name) => join(link, name), release: () => rm(temporary, { recursive: true, force: true }) }
}

/** The `pg` options for the single user and database behind a socket. */
export function connectionTo(path: string): pg.ClientConfig {
  const stream = () => {
    const socket = new Socket()
    const connect = socket.connect.bind(socket, path)
    // Otherwise `pg` would connect to a host and a port.
    return Object.defineProperty(socket, 'connect', { value: () => connect() })
  }
  return { user: 'postgres', database: 'postgres', password: '', ssl: false, stream }
}

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
