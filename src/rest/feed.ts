import type { ChangeWatch } from '../domain/change-watch.ts'
import type { Refusal } from '../errors.ts'
import type { ServedRequest } from '../http/served-request.ts'
import type { RequestContext } from '../operations/pipeline.ts'
import { decodeCursor } from '../reads/cursor.ts'
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
  /** `$first` and `$after`. Without a cursor nothing is asked for but where the feed ends now. */
  readonly variables: Variables
  /** The variables of the page after a cursor. */
  readonly from: (cursor: string) => Variables
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
    variables: { after, first: after === null ? 0 : size },
    from: (cursor) => ({ after: cursor, first: size }),
    link: (cursor) => `<${prefix}${basePath}${path}?after=${cursor}${limit}>; rel="next"`,
    seconds: after === null ? 0 : preferredWait(String(message.headers.prefer ?? '')),
  }
}

const waitPreference = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[;,]|$)/i

function preferredWait(prefer: string): number {
  const [, seconds = 0] = waitPreference.exec(prefer) ?? []
  return Math.min(Number(seconds), longestPoll)
}

type Result = { readonly data?: unknown; readonly refusal?: Refusal }

/** Reads a page of a feed until there are changes, or the time is over. The token is checked again each time. */
export async function readWhenChanged<Page extends Result>(
  served: ServedRequest,
  watch: ChangeWatch,
  { seconds, from }: RequestedFeed,
  feed: NonNullable<Operation['feed']>,
  read: (request: RequestContext, variables: Variables) => Promise<Page>,
): Promise<Page> {
  const latest = performance.now() + seconds * 1_000
  let page = await read(served.context(), {})
  while (!page.refusal) {
    const { isOver, end } = feed(page.data)
    const id = decodeCursor(end)
    const left = latest - performance.now()
    if (!isOver || id === undefined || left <= 0) break
    const giveBack = await watch.enter('poll', chargedTo(served.authentication.session, served))
    const isMore = await served.wait(() => watch.after(id, left, served.signal)).finally(giveBack)
    const { refusal } = await served.authenticate()
    if (refusal) throw refusal
    if (!isMore) break
    await served.resume()
    page = await read(served.context(), from(end))
  }
  return page
}
