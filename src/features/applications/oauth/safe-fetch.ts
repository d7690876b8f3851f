import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { isLoopback } from '../../../engine/http/origin.ts'
import { websiteError } from '../applications.ts'
import { deviceGrant } from '../clients.ts'

/** The flows that applications can use. */
const grantTypes: readonly string[] = ['authorization_code', 'refresh_token', deviceGrant]

/** The members of metadata that mean something here (RFC 7591, section 2). */
const used = new Set(['client_id', 'client_name', 'client_uri', 'redirect_uris', 'grant_types'])

/** The ways to authenticate for which a server shares a secret with the client, which none has here. */
const withSecret = new Set(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMember = (value: unknown) => value !== null && value !== ''

/** Whether a client only connects by the device flow, which leads nowhere. */
function isDeviceOnly(flows: readonly string[], redirectUris: unknown): boolean {
  const leadsOn = Array.isArray(redirectUris) ? redirectUris.length > 0 : redirectUris !== undefined
  return !leadsOn && flows.includes(deviceGrant) && !flows.includes('authorization_code')
}

/**
 * What counts here of the metadata of a client, which may be written for other servers: of scopes, algorithms and all else that is
 * foreign, nothing. Every client is a public one.
 */
export function usedMetadata(metadata: object): Record<string, unknown> {
  const members = Object.entries(metadata).filter(([name, value]) => used.has(name) && isMember(value))
  const { client_uri: website, grant_types: flows, ...rest } = Object.fromEntries<unknown>(members)
  const known = Array.isArray(flows) ? grantTypes.filter((type) => flows.includes(type)) : []
  return {
    ...rest,
    ...(typeof website === 'string' &&
      website.startsWith('https:') &&
      !websiteError(website) && { client_uri: website }),
    ...(known.length > 0 && { grant_types: known }),
    ...(isDeviceOnly(known, rest.redirect_uris) && { redirect_uris: [], response_types: [] }),
    token_endpoint_auth_method: 'none',
  }
}

/** The same of a document. What no document may have stays, so that the library refuses it: shared secrets, which everybody could read. */
function usedOfDocument(metadata: object): Record<string, unknown> {
  const members: Record<string, unknown> = { ...metadata }
  const secret = Object.entries(members).filter(([name]) => name.startsWith('client_secret'))
  const method = members.token_endpoint_auth_method
  return {
    ...usedMetadata(metadata),
    ...Object.fromEntries(secret),
    ...(withSecret.has(String(method)) && { token_endpoint_auth_method: method }),
  }
}

/** The largest metadata document, in bytes. */
const maxDocument = 5 * 1_024

// Two lists: an IPv4 address is checked as ::ffff:0:0/96 against IPv6 networks too, so ::/3 would block all of them.
const special4 = new BlockList()
const special6 = new BlockList()
const networks4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3'
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

/** How many documents are fetched at once, and how many of one host or for one address. */
const mostAtOnce = { all: 32, host: 4, requester: 4 } as const

/** How long a host that could not be reached or did not answer in time is not asked again, in milliseconds. */
const failureAge = 60_000

/** How long the addresses of one family wait for those of the other, in milliseconds. */
const otherFamily = 300

/** Finds the addresses of a name. */
type Resolve = (name: string, signal?: AbortSignal | null) => Promise<LookupAddress[]>

/** Finds addresses without a thread of this process, which others need, and no longer than the signal lets it. */
export const resolver =
  (servers?: readonly string[]): Resolve =>
  async (name, signal) => {
    // It is no name of the DNS (RFC 6761, section 6.3).
    if (name === 'localhost') return [{ address: '127.0.0.1', family: 4 }]
    const dns = new Resolver({ timeout: 1_000, tries: 2 })
    if (servers) dns.setServers(servers)
    const cancel = () => dns.cancel()
    let late: NodeJS.Timeout | undefined
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const of = async (family: 4 | 6, found: Promise<string[]>) =>
        (await found).map((address) => ({ address, family }))
      const families = [of(4, dns.resolve4(name)), of(6, dns.resolve6(name))]
      await Promise.any(families).catch(({ errors: [first] }: AggregateError) => {
        throw first
      })
      late = setTimeout(cancel, otherFamily)
      const settled = await Promise.allSettled(families)
      return settled.flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', cancel)
    }
  }

/** Requests a document from one of these addresses. */
function requestFrom(
  found: LookupAddress[],
  target: URL,
  { headers, signal }: RequestInit,
  reached: () => void,
): Promise<Response> {
  const [first] = found
  const lookup: LookupFunction = (_name, { all }, answer) =>
    all ? answer(null, found) : answer(null, first?.address ?? '', first?.family)
  const options = { lookup, agent: false, headers: Object.fromEntries(new Headers(headers)) }
  return new Promise((done, fail) => {
    const sent = request(target, { ...options, ...(signal && { signal }) }, (response) =>
      documentIn(response).then(done, fail),
    )
    sent.on('socket', (socket) => socket.once('secureConnect', reached))
    sent.on('error', fail).end()
  })
}

/** A document that is being fetched: from which host, and for which address. */
type Fetching = { readonly host: string; readonly by: string | undefined }

/** Throws if too many other documents are being fetched. */
function requireRoom(others: readonly Fetching[], { host, by }: Fetching): void {
  const ofHost = others.filter((other) => other.host === host).length
  const ofRequester = by === undefined ? 0 : others.filter((other) => other.by === by).length
  if (others.length >= mostAtOnce.all || ofHost >= mostAtOnce.host || ofRequester >= mostAtOnce.requester)
    throw new errors.TemporarilyUnavailable('too many documents are being fetched')
}

/**
 * A `fetch` for client metadata: by https, without redirects, at most 5 KiB, and only from addresses that are allowed, which it
 * checks before it connects. `loopback` also allows this machine, on any port. It fetches few documents at once, also for each
 * `requester`, and remembers which hosts it could not reach in time.
 */
export function safeFetch({
  loopback = false,
  resolve = resolver(),
  requester = () => undefined,
}: {
  readonly loopback?: boolean
  /** Whose request needs the document: undefined for one that has been let in before. */
  readonly requester?: () => string | undefined
  readonly resolve?: Resolve
} = {}) {
  const failures = new LRUCache<string, Error>({ max: 1_000, ttl: failureAge })
  const running = new Set<Fetching>()
  const allows = (address: string) => isPublic(address) || (loopback && isLoopback(address))

  /** The addresses of a host, all of which are allowed. Addresses are not looked up. */
  async function addressesOf(host: string, signal: AbortSignal | null | undefined): Promise<LookupAddress[]> {
    const family = isIP(host)
    const found = family ? [{ address: host, family }] : await resolve(host, signal)
    const refused = found.find(({ address }) => !allows(address))
    if (refused || found.length === 0) throw notPublic(host, refused?.address)
    return found
  }

  async function fetchFrom(target: URL, host: string, init: RequestInit): Promise<Response> {
    const { signal } = init
    let isReached = false
    try {
      const found = await addressesOf(host, signal)
      return await requestFrom(found, target, init, () => {
        isReached = true
      })
    } catch (cause) {
      const error = signal?.aborted ? signal.reason : cause
      // What a host answers in time may be the fault of one document only.
      if (!isReached || signal?.aborted) failures.set(target.host, error)
      throw error
    }
  }

  return async (url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> => {
    const target = new URL(String(url))
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (target.protocol !== 'https:') throw new TypeError('Only https is fetched')
    if (target.port !== '' && !loopback) throw new TypeError('Only the port of https is fetched')
    const failure = failures.get(target.host)
    if (failure) throw failure
    const fetching = { host: target.host, by: requester() }
    requireRoom([...running], fetching)
    running.add(fetching)
    try {
      return await fetchFrom(target, host, init)
    } finally {
      running.delete(fetching)
    }
  }
}

/** What counts of a document. The library refuses what is no JSON. */
function usedIn(body: string): string {
  try {
    const document: unknown = JSON.parse(body)
    return isObject(document) ? JSON.stringify(usedOfDocument(document)) : body
  } catch {
    return body
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
  return new Response(status === 200 ? usedIn(Buffer.concat(chunks).toString()) : null, {
    status,
    headers: known.map(([name, value]) => [name, String(value)]),
  })
}

const notPublic = (name: string, address = name) =>
  new TypeError(`${name} has the address ${address}, which is not public`)
