import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { ApiServices } from '../http/api-services.ts'
import { feedPages } from '../http/feed-pages.ts'
import type { List } from './operation.ts'
import type { Result } from './run.ts'
import type { Variables } from './variables.ts'

/** The longest that a request waits for changes, in seconds. */
export const longestPoll = 25

/** Whole seconds (RFC 7240). A fraction is cut off. */
const waitPreference = /(?:^|,)\s*wait\s*=\s*"?(\d+)(?:\.\d*)?"?\s*(?=[;,]|$)/i

/** For how many seconds the client prefers to wait for changes after its cursor (RFC 7240, section 4.3), as far as it may. */
export function preferredWait({ prefer }: IncomingHttpHeaders): number {
  const [, seconds = 0] = waitPreference.exec(String(prefer ?? '')) ?? []
  return Math.min(Number(seconds), longestPoll)
}

/** A request that waits for changes of a list. */
type Waiting = {
  readonly request: FastifyRequest
  readonly services: ApiServices
  readonly seconds: number
  readonly list: List
}

const unread = { isEmpty: false, end: undefined } as const

/** Reads a page of a feed, and the next ones until one has changes or the time is over. */
export async function readWhenChanged(
  { request, services: { watch, viewers }, seconds, list: { of } }: Waiting,
  run: (variables: Variables) => Promise<Result>,
): Promise<Result> {
  const read = async (variables: Variables) => {
    const result = await run(variables)
    const page = result.refusal ? undefined : of(result.data)
    if (!page) return { result, ...unread }
    const { endCursor, hasNextPage } = page.pageInfo
    return { result, isEmpty: page.nodes.length === 0, end: { endCursor: endCursor ?? '', hasNextPage } }
  }
  let page = await read({})
  if (page.isEmpty && page.end && !page.end.hasNextPage) {
    const { lifetime, account } = request
    lifetime.atEnd(await watch.enter('poll', account))
    const signal = AbortSignal.any([lifetime.signal, AbortSignal.timeout(seconds * 1_000)])
    const reader = { request, watch, viewers, signal }
    const pages = feedPages(reader, page.end, (after) => read({ after }))
    for await (page of pages) if (!page.isEmpty || page.end?.hasNextPage) break
  }
  return page.result
}
