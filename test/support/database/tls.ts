import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { portOf } from '../http/port.ts'

/** The file with the certificate of `startDatabaseTls`, which is for `localhost` and its own authority. */
export const certificateFile = new URL('localhost.pem', import.meta.url).pathname

/** Which connections it takes. */
export type Taken = 'all' | 'encrypted' | 'plain'

/** A server that encrypts connections to a database. */
export type DatabaseTls = {
  /** The URL of the database at this host, with these parameters. */
  url(parameters: string, host?: string): string
  /** How many connections were encrypted and how many were not, since the last call. */
  taken(): { readonly encrypted: number; readonly plain: number }
  close(): Promise<void>
}

/** The request of a client to encrypt the connection (PostgreSQL documentation, "Message Formats"). */
const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

const fields = 'SFATAL\0C28000\0Mno encryption\0\0'
const refusal = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`, 'latin1')

/** Starts one in front of the database at this URL. */
export async function startDatabaseTls(databaseUrl: string, takes: Taken): Promise<DatabaseTls> {
  const { hostname, port } = new URL(databaseUrl)
  const pem = readFileSync(certificateFile)
  const counts = { encrypted: 0, plain: 0 }
  const server = createServer((socket) => {
    const forward = (client: Socket, first?: Buffer) => {
      const behind = connect(Number(port || 5432), hostname)
      for (const it of [client, behind]) it.on('error', () => undefined)
      client.on('close', () => behind.destroy())
      if (first) behind.write(first)
      client.pipe(behind).pipe(client)
    }
    socket.on('error', () => undefined)
    const take = (first: Buffer) => {
      if (first.equals(request) && takes !== 'plain') {
        counts.encrypted += 1
        socket.write('S')
        forward(new TLSSocket(socket, { isServer: true, cert: pem, key: pem }))
      } else if (first.equals(request)) {
        socket.once('data', take).write('N')
      } else if (takes === 'encrypted') {
        socket.end(refusal)
      } else {
        counts.plain += 1
        forward(socket, first)
      }
    }
    socket.once('data', take)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: (parameters, host = '127.0.0.1') => {
      const url = new URL(databaseUrl)
      url.host = `${host}:${portOf(server)}`
      url.search = parameters
      return url.href
    },
    taken: () => {
      const taken = { ...counts }
      Object.assign(counts, { encrypted: 0, plain: 0 })
      return taken
    },
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
