import type { IncomingMessage } from 'node:http'

/** A host with an optional port (RFC 3986, section 3.2.2). Empty when a client knows none. */
const host = /^(?:\[[\d:.a-f]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
const absolute = /^https?:\/\/([^/?]+)(.*)$/i

/**
 * Normalizes the target of a request to a path with its query, and `Host` to the host of an absolute target (RFC 9112, section 3.2).
 * Returns an error message when one of them is invalid.
 */
export function readTarget(request: IncomingMessage): string | undefined {
  const { method, url = '', headers, httpVersion } = request
  let hosts = 0
  // The raw headers, since Node.js keeps only the first `Host`.
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1) return 'A request must not have several Host headers.'
  if (hosts === 0 && httpVersion === '1.1') return 'HTTP/1.1 requires a Host header.'
  if (!host.test(headers.host ?? '')) return 'The Host header is invalid.'
  if (url.includes('#')) return 'The request target must not have a fragment.'
  if (url.startsWith('/')) return undefined
  if (url === '*' && method === 'OPTIONS') return undefined
  const [, authority, rest = ''] = absolute.exec(url) ?? []
  if (authority === undefined || !host.test(authority)) return 'The request target must be a path or an HTTP URL.'
  headers.host = authority
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  return undefined
}
