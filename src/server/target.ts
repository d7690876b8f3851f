import type { IncomingMessage } from 'node:http'

/** A host with or without a port (RFC 3986, section 3.2.2); empty where a client knows none. */
const host = /^(?:\[[\d:.a-f]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
const absolute = /^https?:\/\/([^/?]+)(.*)$/i

/**
 * Makes the target of a request a path with its query, and its `Host` the host that it is for (RFC 9112, section 3.2). Answers what is
 * wrong with them, if anything.
 */
export function readTarget(request: IncomingMessage): string | undefined {
  const { method, url = '', headers, httpVersion } = request
  const hosts = countHosts(request.rawHeaders)
  if (hosts > 1) return 'A request has one Host.'
  if (hosts === 0 && httpVersion === '1.1') return 'HTTP/1.1 needs a Host.'
  if (!host.test(headers.host ?? '')) return 'The Host is not a host.'
  if (url.startsWith('/')) return undefined
  if (url === '*' && method === 'OPTIONS') return undefined
  const [, authority, rest = ''] = absolute.exec(url) ?? []
  if (authority === undefined || !host.test(authority)) return 'The target is neither a path nor an HTTP URL.'
  headers.host = authority
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  return undefined
}

/** Node.js keeps the first of several only. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}
