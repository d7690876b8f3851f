import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Config, ConfigError } from '../config.ts'

/** How many connections may wait to be accepted; the system may permit fewer. It drops any more, and their clients try again after a second. */
const backlog = 4_096

/** The address and the port to listen on, and the variable that sets the port. */
export type Place = Pick<Config, 'host' | 'port'> & { readonly variable?: string }

/** Where the metrics are served; undefined if nothing is measured. */
export function metricsPlace({ host, metricsPort: port }: Config): Place | undefined {
  return port === undefined ? undefined : { host, port, variable: 'METRICS_PORT' }
}

/** Listens on the configured host and port, and returns the origin, such as `http://127.0.0.1:4000`. Throws a `ConfigError`. */
export async function listen(server: FastifyInstance, place: Place): Promise<string> {
  const { host, port } = place
  await server.listen({ host, port, backlog }).catch((cause) => {
    throw listenError(cause, place)
  })
  const address = server.server.address()
  const chosen = typeof address === 'object' && address ? address.port : port
  return originOf(host, chosen)
}

/** Such as `http://127.0.0.1:4000`. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Throws a `ConfigError` when the host and port are not available, for example because another process listens on them. */
export async function requireListening(place: Place): Promise<void> {
  const { host, port } = place
  const server = createServer().listen({ host, port })
  await once(server, 'listening').catch((cause) => {
    throw listenError(cause, place)
  })
  await new Promise((resolve) => server.close(resolve))
}

function listenError(cause: NodeJS.ErrnoException, { host, port, variable = 'PORT' }: Place): ConfigError {
  if (cause.code === 'EADDRINUSE')
    return new ConfigError(`${variable} is ${port}, which something else listens on already; choose another.`, {
      cause,
    })
  if (cause.code === 'EACCES')
    return new ConfigError(`${variable} is ${port}, which this user may not listen on; choose one above 1023.`, {
      cause,
    })
  return new ConfigError(`HOST is ${host}, which this machine cannot listen on (${cause.code}).`, { cause })
}
