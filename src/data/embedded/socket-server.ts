import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { ClientConnection } from './client-connection.ts'
import type { Session } from './session.ts'
import { startup } from './wire.ts'

/** The maximum number of connections, without Rookery's own. */
const mostConnections = 40

/** Serves the session on a Unix socket or a Windows named pipe, for this user only. `close` ends all connections. */
export async function serveSocket(session: Session, path: string): Promise<{ close(): Promise<void> }> {
  const greeting = session.execute(startup())
  const clients = new Set<ClientConnection>()
  const hasRoom = () => [...clients].filter(({ isBuiltIn }) => !isBuiltIn).length <= mostConnections
  const host = { session, greeting, hasRoom }
  let number = 0
  const server = createServer((socket) => {
    number += 1
    const client = new ClientConnection(socket, host, number)
    clients.add(client)
    socket.on('close', () => clients.delete(client))
  })
  const isPipe = process.platform === 'win32'
  // The server holds the lock of the folder, so an existing socket has no listener.
  if (!isPipe) await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  if (!isPipe) await chmod(path, 0o600)
  return {
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const client of clients) client.refuse('57P01', 'The database is being closed.')
      return closed
    },
  }
}
