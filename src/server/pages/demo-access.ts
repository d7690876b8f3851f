import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../engine/http/loopback.ts'
import type { DemoTargets } from '../../features/demo/demo-token.ts'

/** The demo's token, which pages fill in, and the uuids for their samples. */
export type DemoAccess = { readonly token: string; readonly targets: DemoTargets }

const loopbackAddress = /^(?:::ffff:)?127\.|^::1$/
const forwarding = /^(?:origin|forwarded|via|x-forwarded-(?:for|host|proto)|x-real-ip)$/

/** The demo access for a page. Undefined unless a browser of this machine requested the page directly. */
export function demoFor(message: IncomingMessage, demo: DemoAccess | undefined): DemoAccess | undefined {
  const { headers, httpVersion, socket } = message
  // Excludes scripts of other sites, DNS rebinding, and proxies. Many proxies still speak HTTP/1.0, which no browser does.
  const isForwarded = httpVersion === '1.0' || Object.keys(headers).some((name) => forwarding.test(name))
  const isHere = isLoopbackHost(headers.host ?? '') && loopbackAddress.test(socket.remoteAddress ?? '')
  return isHere && !isForwarded ? demo : undefined
}
