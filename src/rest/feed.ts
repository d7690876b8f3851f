import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../errors.ts'
import { type Follower, followChanges } from '../http/follow-changes.ts'
import { basePath } from '../http/url.ts'
import { pageSize } from '../page-size.ts'
import type { Operation } from './operation.ts'
import { keptOf, readLimit } from './pages.ts'
import type { Variables } from './variables.ts'

/** The longest that a request waits for changes, in seconds. */
export const longestPoll = 25

/** The page of a feed that a request asks for. */
export type RequestedFeed = {
  /** `$first` and `$after`. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with an absolute path and the same query: what follows the cursor. */
  readonly link: (cursor: string) => string
  /** For how many seconds the client prefers to wait for changes after its cursor (RFC 7240, section 4.3), as far as it may. */
  readonly seconds: number
}

/** Reads `?after=`, `?limit=` and `Prefer`. Throws `VALIDATION_FAILED` for `limit`. */
export function readFeed(operation: Operation, { search, raw }: FastifyRequest, prefix: string): RequestedFeed {
  const { limit, size } = readLimit(search, pageSize.default)
  const after = search.get('after')
  return {
    variables: { after, first: size },
    link: (cursor) =>
      `<${prefix}${basePath}${operation.path}?after=${cursor}${limit}${keptOf(operation, search)}>; rel="next"`,
    seconds: after === null ? 0 : preferredWait(String(raw.headers.prefer ?? '')),
  }
}

/** Whole seconds (RFC 7240). A fraction is cut off. */
const waitPreference = /(?:^|,)\s*wait\s*=\s*"?(\d+)(?:\.\d*)?"?\s*(?=[;,]|$)/i

function preferredWait(prefer: string): number {
  const [, seconds = 0] = waitPreference.exec(prefer) ?? []
  return Math.min(Number(seconds), longestPoll)
}

type Result = { readonly data?: unknown; readonly refusal?: Refusal }

const unread = { isEmpty: false, end: undefined } as const

/** Reads a page of a feed, and the next ones until one has changes or the time is over. */
export async function readWhenChanged<Page extends Result>(
  follower: Omit<Follower, 'signal'>,
  seconds: number,
  feed: NonNullable<Operation['feed']>,
  run: (variables: Variables) => Promise<Page>,
): Promise<Page> {
  const read = async (variables: Variables) => {
    const result = await run(variables)
    return { result, ...(result.refusal ? unread : feed(result.data)) }
  }
  let page = await read({})
  if (seconds > 0 && page.isEmpty && page.end && !page.end.hasNextPage) {
    const { lifetime, identity } = follower.request
    lifetime.atEnd(await follower.watch.enter('poll', identity.account))
    const signal = AbortSignal.any([lifetime.signal, AbortSignal.timeout(seconds * 1_000)])
    const pages = followChanges({ ...follower, signal }, page.end, (after) => read({ after }))
    for await (page of pages) if (!page.isEmpty || page.end?.hasNextPage) break
  }
  return page.result
}
