import type { ChangeWatch } from '../domain/change-watch.ts'
import type { Refusal } from '../errors.ts'
import { followChanges } from '../http/follow-changes.ts'
import type { ServedRequest } from '../http/served-request.ts'
import type { RequestContext } from '../operations/pipeline.ts'
import { pageSize } from '../reads/page-range.ts'
import { chargedTo } from '../schema/context.ts'
import type { Operation } from './operation.ts'
import { readLimit } from './pages.ts'
import { basePath } from './paths.ts'
import type { Variables } from './variables.ts'

/** The longest that a request waits for changes, in seconds. */
export const longestPoll = 25

/** The page of a feed that a request asks for. */
export type RequestedFeed = {
  /** `$first` and `$after`. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with an absolute path and the same `limit`: what follows the cursor. */
  readonly link: (cursor: string) => string
  /** For how many seconds the client prefers to wait for changes after its cursor (RFC 7240, section 4.3), as far as it may. */
  readonly seconds: number
}

/** Reads `?after=`, `?limit=` and `Prefer`. Throws `VALIDATION_FAILED` for `limit`. */
export function readFeed({ path }: Operation, { query, prefix, message }: ServedRequest): RequestedFeed {
  const { limit, size } = readLimit(query, pageSize.default)
  const after = query.get('after')
  return {
    variables: { after, first: size },
    link: (cursor) => `<${prefix}${basePath}${path}?after=${cursor}${limit}>; rel="next"`,
    seconds: after === null ? 0 : preferredWait(String(message.headers.prefer ?? '')),
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
  served: ServedRequest,
  watch: ChangeWatch,
  seconds: number,
  feed: NonNullable<Operation['feed']>,
  run: (request: RequestContext, variables: Variables) => Promise<Page>,
): Promise<Page> {
  const read = async (variables: Variables) => {
    const result = await run(served.context(), variables)
    return { result, ...(result.refusal ? unread : feed(result.data)) }
  }
  let page = await read({})
  if (seconds > 0 && page.isEmpty && page.end && !page.end.hasNextPage) {
    served.atEnd(await watch.enter('poll', chargedTo(served.authentication.session, served)))
    const signal = AbortSignal.any([served.signal, AbortSignal.timeout(seconds * 1_000)])
    const pages = followChanges(served, watch, page.end, (after) => read({ after }), signal)
    for await (page of pages) if (!page.isEmpty || page.end?.hasNextPage) break
  }
  return page.result
}
