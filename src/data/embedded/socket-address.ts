import { createHash } from 'node:crypto'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'

/** How long the path of a Unix socket may be, in bytes: 104 on macOS and 108 on Linux, with the byte that ends it. */
const longestPath = 103

/** The longest name that a socket gets in its folder. */
const longestName = 'lock.after-01234567'

/** Paths of the sockets of one folder. */
export type SocketAddresses = {
  /** The path of the socket with this name. */
  path(name: string): string
  /** Lets go of what made the paths short enough. */
  release(): Promise<void>
}

/** The name of the socket on which PostgreSQL's clients look for a port. */
export const socketName = (port: number): string => `.s.PGSQL.${port}`

/** The sockets of a folder. One with a long path is reached through a symbolic link; on Windows they are named pipes. */
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

/** How `pg` connects to the database behind a socket, which has one user and one database. */
export function connectionTo(path: string): pg.ClientConfig {
  const stream = () => {
    const socket = new Socket()
    const connect = socket.connect.bind(socket, path)
    // `pg` would connect it to a host and a port.
    return Object.defineProperty(socket, 'connect', { value: () => connect() })
  }
  return { user: 'postgres', database: 'postgres', password: '', ssl: false, stream }
}
