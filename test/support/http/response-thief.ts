import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { portOf } from './port.ts'

/** A TCP proxy in front of a server that no client gets a response from. */
export type ResponseThief = { readonly origin: string; close(): Promise<void> }

/**
 * Starts a proxy that forwards requests. As soon as the server begins to respond, it calls `onResponse` and breaks the connection, so the
 * client knows nothing of what was done.
 */
export async function startResponseThief(origin: string, onResponse = (): void => undefined): Promise<ResponseThief> {
  const { hostname, port } = new URL(origin)
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
    client.pipe(behind).once('data', () => {
      onResponse()
      behind.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
