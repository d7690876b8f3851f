import { connect, createServer } from 'node:net'

const startupLength = 4
const sslRequest = 80877103

/** Finds the messages of a PostgreSQL client (protocol 3.0, section "Message Flow") in what it sends. */
class Messages {
  readonly #onMessage: (type: string) => void
  #rest: Buffer = Buffer.alloc(0)
  #started = false

  constructor(onMessage: (type: string) => void) {
    this.#onMessage = onMessage
  }

  read(chunk: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    for (;;) {
      // The first messages have no type.
      const typeLength = this.#started ? 1 : 0
      if (this.#rest.length < typeLength + startupLength) return
      const length = this.#rest.readInt32BE(typeLength) + typeLength
      if (this.#rest.length < Math.max(length, typeLength + 8 * (1 - typeLength))) return
      if (this.#started) this.#onMessage(String.fromCharCode(this.#rest[0] ?? 0))
      else this.#started = this.#rest.readInt32BE(4) !== sslRequest
      this.#rest = this.#rest.subarray(length)
    }
  }
}

/** A way to the database that counts the statements which pass: each `Execute` and each simple `Query`. */
export type Proxy = { readonly url: string; readonly statements: () => number; close(): void }

/** Opens a proxy on the loopback before the server of a database's URL. */
export async function openProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl)
  let statements = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const messages = new Messages((type) => {
      if (type === 'E' || type === 'Q') statements += 1
    })
    client.on('data', (chunk: Buffer) => messages.read(chunk))
    client.pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return { url: url.href, statements: () => statements, close: () => void server.close() }
}
