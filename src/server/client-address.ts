import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/**
 * The address that a client is counted under: that of its connection, or behind reverse proxies the one that the outermost of them
 * added to `X-Forwarded-For`. What comes before that entry anybody may have invented.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number): string {
  const direct = socket.remoteAddress ?? ''
  if (trustedProxies === 0) return counted(direct)
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  const named = forwarded.at(-trustedProxies)?.trim() ?? ''
  return counted(isIP(named) ? named : direct)
}

/** An IPv6 address counts by its network of 64 bits: whoever has one address there has them all. */
function counted(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  // The parser of URLs writes it in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const written = canonical.split(':').filter((group) => group !== '').length
  const groups = canonical
    .replace('::', `:${'0:'.repeat(8 - written)}`)
    .replace(/^:/, '')
    .split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}
