import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from './config.ts'

/**
 * How many connections may wait to be accepted; the system may permit fewer. It drops any more, and their clients try again after a
 * second.
 */
const backlog = 4_096

/** A turn of the event loop in which nearly nothing is done, and for how long a server that stops waits for one, in milliseconds. */
const shortTurn = 0.3
const longestAccepting = 1_000

/**
 * The address and the port to listen on, the variable that sets the port, and for how many seconds proxies may use their
 * connections once it is closed.
 */
export type ListenAddress = Pick<Config, 'host' | 'port'> &
  Partial<Pick<Config, 'stopDelay'>> & { readonly variable?: string }

/** Where the metrics are served; undefined if nothing is measured. */
export function metricsAddress({ host, metricsPort: port }: Config): ListenAddress | undefined {
  return port === undefined ? undefined : { host, port, variable: 'METRICS_PORT' }
}

/** The addresses of a host that this machine has. A name such as localhost may have several. */
async function addressesOf(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  const tried = await Promise.allSettled(found.map(({ address }) => tryAddress({ host: address, port: 0 })))
  const here = found.filter((_, index) => tried[index]?.status === 'fulfilled').map(({ address }) => address)
  return here.length > 0 ? here : [host]
}

/**
 * Listens on the configured port of all addresses of the configured host, and returns the origin, such as `http://127.0.0.1:4000`. Throws a
 * `ConfigError`.
 */
export async function listen(server: FastifyInstance, place: ListenAddress, addresses = addressesOf): Promise<string> {
  const { server: http } = server
  const servers: Server[] = [http]
  let closed: Promise<unknown> | undefined
  server.addHook('preClose', async () => {
    await acceptWaiting(servers)
    closed = Promise.all(servers.map((it) => once(it, 'close')))
    // Not that of the HTTP server, which also closes idle connections, on which proxies may just send requests.
    for (const it of servers) Server.prototype.close.call(it)
    await Promise.race([closed, sleep((place.stopDelay ?? 0) * 1_000, undefined, { ref: false })])
  })
  server.addHook('onClose', async () => {
    await closed
  })
  try {
    const [first = place.host, ...others] = await addresses(place.host)
    await server.listen({ host: first, port: place.port, backlog })
    const address = http.address()
    const port = typeof address === 'object' && address ? address.port : place.port
    http.maxConnections = Math.floor(http.maxConnections / (1 + others.length))
    for (const host of others) {
      const it = createServer((socket) => http.emit('connection', socket))
      it.maxConnections = http.maxConnections
      await once(it.listen({ host, port, backlog }), 'listening')
      servers.push(it)
    }
    return originOf(place.host, port)
  } catch (cause) {
    throw listenError(cause, place)
  }
}

/**
 * Accepts the connections that wait for it, one in each turn of the event loop, until a short turn has none. Closing a server resets those
 * that wait, although proxies may have sent requests on them.
 */
async function acceptWaiting(servers: readonly Server[]): Promise<void> {
  let isMore = true
  for (const server of servers)
    server.on('connection', () => {
      isMore = true
    })
  const end = performance.now() + longestAccepting
  for (let turn = performance.now(); isMore && turn < end; ) {
    isMore = false
    await setImmediate()
    isMore ||= performance.now() - turn > shortTurn
    turn = performance.now()
  }
}

/** Such as `http://127.0.0.1:4000`. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Throws a `ConfigError` when the host and port are not available, for example because another process listens on them. */
export async function requireListening(place: ListenAddress): Promise<void> {
  try {
    for (const host of await addressesOf(place.host)) await tryAddress({ ...place, host })
  } catch (cause) {
    throw listenError(cause, place)
  }
}

async function tryAddress({ host, port }: ListenAddress): Promise<void> {
  // Exclusive, so that the primary process does not take it for the server of a worker.
  const server = createServer().listen({ host, port, exclusive: true })
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}

function listenError(cause: unknown, { host, port, variable = 'PORT' }: ListenAddress): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : cause
  const problem =
    code === 'EADDRINUSE'
      ? `${variable} is ${port}, which something else listens on already; choose another.`
      : code === 'EACCES'
        ? `${variable} is ${port}, which this user may not listen on; choose one above 1023.`
        : `HOST is ${host}, which this machine cannot listen on (${code}).`
  return new ConfigError(problem, { cause })
}
