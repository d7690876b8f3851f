import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from '../http/port.ts'

/** A TCP proxy between a server and its database. */
export type DatabaseProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string
  /** Closes all connections and refuses new ones until `back` is called. */
  hangUp(): void
  back(): void
  /** Forwards this many responses of the database, and then closes the connections of the next `lost` ones. */
  loseAnswers(lost: { readonly after: number; readonly count: number }): void
  /** Forwards nothing in either direction until `goOn` is called. */
  standStill(): void
  goOn(): void
  close(): Promise<void>
}

/** How the answer to each statement ends: the message ReadyForQuery, but for its status. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5])

/** The answers that came together. */
function answersIn(data: Buffer): readonly Buffer[] {
  const at = data.indexOf(ready)
  const end = at === -1 ? data.length : at + ready.length + 1
  return end < data.length ? [data.subarray(0, end), ...answersIn(data.subarray(end))] : [data]
}

/** Starts a proxy in front of the database at this URL. */
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
    const pass = (answer: Buffer) => {
      if (answersToLose === 0) socket.write(answer)
      else if (answersToPass > 0) {
        answersToPass -= 1
        socket.write(answer)
      } else {
        answersToLose -= 1
        socket.destroySoon()
      }
      return !socket.writableEnded
    }
    socket.pipe(behind).on('data', (data: Buffer) => answersIn(data).every(pass))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${portOf(server)}`
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
