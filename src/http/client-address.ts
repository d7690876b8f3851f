import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/**
 * The address that identifies a client in rate limits: that of its connection or, behind trusted reverse proxies, the one that the
 * outermost of them added to `X-Forwarded-For`. Clients can forge the entries before it.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const direct = socket.remoteAddress ?? ''
  if (trustedProxies === 0) return countedAddress(direct)
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  const named = forwarded.at(-trustedProxies)?.trim() ?? ''
  return countedAddress(isIP(named) ? named : direct)
}

/** An IPv6 address counts as its /64 network, since a client usually controls all of it. */
function countedAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  // The URL parser produces the canonical form (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const written = canonical.split(':').filter((group) => group !== '').length
  const groups = canonical
    .replace('::', `:${'0:'.repeat(8 - written)}`)
    .replace(/^:/, '')
    .split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}
