import type { IncomingMessage } from 'node:http'

/**
 * The origin that the client used, such as `https://social.example.org`. Behind trusted reverse proxies, the outermost of them says the
 * scheme in `X-Forwarded-Proto`, whether the others replace or extend it. Undefined where nothing tells.
 */
export function requestedOrigin({ headers }: IncomingMessage, trustedProxies: number): string | undefined {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')
  const scheme = trustedProxies === 0 ? 'http' : forwarded.at(-Math.min(trustedProxies, forwarded.length))?.trim()
  return headers.host && /^https?$/.test(scheme ?? '') ? `${scheme}://${headers.host}` : undefined
}
