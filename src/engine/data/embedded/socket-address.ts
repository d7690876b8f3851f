import { createHash } from 'node:crypto'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { Socket } from 'node:net'
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
