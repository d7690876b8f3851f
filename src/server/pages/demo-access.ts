import type { IncomingMessage } from 'node:http'
import type { SampleTargets } from './samples.ts'

/** What a page has of the demo: a token that is in its field from the start, and what the samples name. */
export type DemoAccess = { readonly token: string; readonly targets: SampleTargets }

const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/
const loopbackAddress = /^(?:::ffff:)?127\.|^::1$/
const forwarding = [
  'origin',
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** What a page may have of the demo, if any: it is for a browser of this machine that asked for the page itself. */
export function demoFor(message: IncomingMessage, demo: DemoAccess | undefined): DemoAccess | undefined {
  const { headers, httpVersion, socket } = message
  // Neither a script of another site must get it, nor a site that was made to resolve to this machine, nor who comes by a proxy:
  // many of those still speak HTTP/1.0, which no browser does.
  const isForwarded = httpVersion === '1.0' || forwarding.some((name) => name in headers)
  const isHere = loopbackHost.test(headers.host ?? '') && loopbackAddress.test(socket.remoteAddress ?? '')
  return isHere && !isForwarded ? demo : undefined
}
