import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from './loopback.ts'
import { requestedOrigin } from './origin.ts'

/** What the URLs of a server follow from. */
export type UrlSettings = {
  /** What links begin with. Undefined if it is not configured. */
  readonly publicUrl: string | undefined
  /** What precedes all paths for clients, such as `/social`. */
  readonly prefix: string
  readonly trustedProxies: number
}

/**
 * The identifier of the authorization server (RFC 8414, section 2), which all its URLs begin with: the public URL or, without one, where a browser of
 * this machine reaches it. Undefined where only a header would tell, which anybody can set.
 */
export function issuerFor(
  message: IncomingMessage,
  { publicUrl, prefix, trustedProxies }: UrlSettings,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl
  const origin = requestedOrigin(message, trustedProxies)
  return origin !== undefined && isLoopbackHost(message.headers.host ?? '') ? origin + prefix : undefined
}
