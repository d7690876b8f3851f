import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, SocketAddress } from 'node:net'
import type { Log } from '../log.ts'

/** The logs that have the warning already: it is written once. */
const warned = new WeakSet<Log>()

/**
 * The address that identifies a client in rate limits: that of its connection or, behind trusted reverse proxies, the one that the
 * outermost of them added to `X-Forwarded-For`. Clients can forge the entries before it.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number, log: Log): string {
  const direct = countedAddress(socket.remoteAddress ?? '')
  if (trustedProxies === 0) return direct
  const entry = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-trustedProxies)
    ?.trim()
  if (!entry) return direct
  const address = addressIn(entry)
  if (isIP(address)) return countedAddress(address)
  if (!warned.has(log)) log.warn('an entry of X-Forwarded-For is not an address: the address of the connection counts')
  warned.add(log)
  return direct
}

/** Removes the quotes, brackets and port that some proxies add to an address. */
function addressIn(entry: string): string {
  const bare = entry.replace(/^"(.*)"$/, '$1')
  const [, bracketed, plain] = /^(?:\[(.*)\]|([^:]*))(?::\d{1,5})?$/.exec(bare) ?? []
  return bracketed ?? plain ?? bare
}

/** An IPv6 address counts as its /64 network, since a client usually controls all of it, or as the IPv4 address that it contains. */
function countedAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  // In its canonical form (RFC 5952).
  const { address: canonical } = new SocketAddress({ address: plain, family: 'ipv6' })
  const [, mapped] = /^::ffff:([\d.]+)$/.exec(canonical) ?? []
  if (mapped !== undefined) return mapped
  const written = canonical.split(':').filter((group) => group !== '').length
  const groups = canonical
    .replace('::', `:${'0:'.repeat(8 - written)}`)
    .replace(/^:/, '')
    .split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}
