import type { ServedRequest } from '../http/served-request.ts'
import type { Operation } from './operation.ts'
import { readLimit } from './pages.ts'
import { basePath } from './paths.ts'
import type { Variables } from './variables.ts'

/** How many changes a page has by default. */
export const feedSize = 20

/** The page of a feed that a request asks for. */
export type RequestedFeed = {
  /** `$first` and `$after`. Without a cursor nothing is asked for but where the feed ends now. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with an absolute path and the same `limit`: what follows the cursor. */
  readonly link: (cursor: string) => string
}

/** Reads `?after=` and `?limit=`. Throws `VALIDATION_FAILED` for `limit`. */
export function readFeed(
  { path }: Operation,
  { query, prefix }: Pick<ServedRequest, 'query' | 'prefix'>,
): RequestedFeed {
  const { limit, size } = readLimit(query, feedSize)
  const after = query.get('after')
  return {
    variables: { after, first: after === null ? 0 : size },
    link: (cursor) => `<${prefix}${basePath}${path}?after=${cursor}${limit}>; rel="next"`,
  }
}
