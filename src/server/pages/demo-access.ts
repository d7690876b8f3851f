import type { IncomingMessage } from 'node:http'
import type { SampleTargets } from './samples.ts'

/** What a page has of the demo: a token that is in its field from the start, and what the samples name. */
export type DemoAccess = { readonly token: string; readonly targets: SampleTargets }

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/
const forwarding = ['origin', 'forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host']

/** What a page may have of the demo, if any: it is for a browser of this machine that asked for the page itself. */
export function demoFor({ headers }: IncomingMessage, demo: DemoAccess | undefined): DemoAccess | undefined {
  // Neither a script of another site must get it, nor a site that was made to resolve to this machine, nor who comes by a proxy.
  const isOwn = !forwarding.some((name) => name in headers) && loopback.test(headers.host ?? '')
  return isOwn ? demo : undefined
}
