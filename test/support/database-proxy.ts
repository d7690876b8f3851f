import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Stands between a server and its database. */
export type DatabaseProxy = {
  /** The database, by way of the proxy. */
  readonly url: string
  /** Ends all connections, and takes no other until it is `back`. */
  hangUp(): void
  back(): void
  /** Passes on so many answers of the database, and ends the connections of as many of the next ones as are to be lost. */
  loseAnswers(lost: { readonly after: number; readonly count: number }): void
  /** Passes nothing on, in either direction, until it is to `goOn`. */
  standStill(): void
  goOn(): void
  close(): Promise<void>
}

/** Starts a proxy before the database at this URL. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isAway = false
  let answersToPass = 0
  let answersToLose = 0
  const server = createServer((socket) => {
    if (isAway) {
      socket.destroy()
      return
    }
    const behind = connect(Number(port || 5432), hostname)
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    socket.pipe(behind).on('data', (answer) => {
      if (answersToLose === 0) socket.write(answer)
      else if (answersToPass > 0) {
        answersToPass -= 1
        socket.write(answer)
      } else {
        answersToLose -= 1
        socket.destroy()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The proxy has no port')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${address.port}`
  const hangUp = () => {
    isAway = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    hangUp,
    back: () => {
      isAway = false
    },
    loseAnswers: ({ after, count }) => {
      answersToPass = after
      answersToLose = count
    },
    standStill: () => {
      for (const socket of sockets) socket.pause()
    },
    goOn: () => {
      for (const socket of sockets) socket.resume()
    },
    close: async () => {
      hangUp()
      server.close()
      await once(server, 'close')
    },
  }
}
