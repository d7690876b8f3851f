import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

type Resolve = (
  name: string,
  options: LookupAllOptions,
  answer: (error: Error | null, found: LookupAddress[]) => void,
) => void

/** The largest metadata document, in bytes. */
const maxDocument = 5 * 1_024

// Two lists: an IPv4 address is checked as ::ffff:0:0/96 against IPv6 networks too, so ::/3 would block all of them.
const special4 = new BlockList()
const special6 = new BlockList()
const networks4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'
// All but global unicast, and of that documentation, 6to4, Teredo and what is not routed.
const networks6 = '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20'
for (const [list, networks, family] of [
  [special4, networks4, 'ipv4'],
  [special6, networks6, 'ipv6'],
] as const) {
  for (const [net = '', prefix] of networks.split(' ').map((network) => network.split('/')))
    list.addSubnet(net, Number(prefix), family)
}

/** Whether an address is of the public Internet (RFC 6890). */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  return family === 4 ? !special4.check(address) : family === 6 && !special6.check(address, 'ipv6')
}

/** Whether an address is of this machine itself. */
const isLoopback = (address: string): boolean => /^(?:127\.\d+\.\d+\.\d+|::1)$/.test(address)

/**
 * A `fetch` for client metadata: by https, without redirects, at most 5 KiB, and only from addresses that are allowed, which it checks before it
 * connects. `loopback` also allows this machine, on any port.
 */
export function safeFetch({
  loopback = false,
  resolve = lookup,
}: {
  readonly loopback?: boolean
  readonly resolve?: Resolve
} = {}) {
  const allows = (address: string) => isPublic(address) || (loopback && isLoopback(address))
  const checkedLookup: LookupFunction = (name, options, answer) =>
    resolve(name, { ...options, all: true }, (error, found) => {
      const refused = found?.find(({ address }) => !allows(address))
      const [first] = found ?? []
      if (error || refused || !first) return answer(error ?? notPublic(name, refused?.address), '')
      return options.all ? answer(null, found) : answer(null, first.address, first.family)
    })
  return async (url: Parameters<typeof fetch>[0], { headers, signal }: RequestInit = {}): Promise<Response> => {
    const target = new URL(String(url))
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (target.protocol !== 'https:') throw new TypeError('Only https is fetched')
    if (target.port !== '' && !loopback) throw new TypeError('Only the port of https is fetched')
    // Addresses are not looked up.
    if (isIP(host) && !allows(host)) throw notPublic(host)
    const options = { lookup: checkedLookup, agent: false, headers: Object.fromEntries(new Headers(headers)) }
    return new Promise<Response>((done, fail) => {
      const sent = request(target, { ...options, ...(signal && { signal }) }, (response) =>
        documentIn(response).then(done, fail),
      )
      sent.on('error', fail).end()
      // A look-up and a connection that never answer do not end by the signal alone.
      signal?.addEventListener('abort', () => fail(signal.reason), { once: true })
    })
  }
}

/** Reads a response, with what counts of its headers. */
async function documentIn(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxDocument) throw new RangeError(`The document exceeds ${maxDocument} bytes`)
    chunks.push(chunk)
  }
  const { statusCode: status = 502, headers } = response
  const known = Object.entries(headers).filter(([name]) => name === 'cache-control' || name === 'expires')
  return new Response(status === 200 ? Buffer.concat(chunks) : null, {
    status,
    headers: known.map(([name, value]) => [name, String(value)]),
  })
}

const notPublic = (name: string, address = name) =>
  new TypeError(`${name} has the address ${address}, which is not public`)
