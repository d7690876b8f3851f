import type { FastifyRequest } from 'fastify'
import { reading, refusalOfRestricted, type TokenCache } from '../auth/viewers.ts'
import { decodeCursor } from '../compiler/page-range.ts'
import type { ChangeWatch } from '../data/change-watch.ts'
import { pause } from './request-slots.ts'
import { checkTokenAgain } from './viewer.ts'

/**
 * How often the token of a request that waits is checked, in milliseconds: with the age of a viewer, it ends within 5 seconds of
 * being revoked.
 */
const tokenCheck = 1_500

/** Where a page of the feed ends, and whether more follows already. */
type PageEnd = { readonly endCursor: string; readonly hasNextPage: boolean }

/** A request that reads the feed until a signal is aborted. */
type FeedReader = {
  readonly request: FastifyRequest
  readonly viewers: TokenCache
  readonly watch: ChangeWatch
  readonly signal: AbortSignal
}

/**
 * The pages of the feed after one that was read: the next as soon as there may be changes, or the token is refused. A page without an end
 * could not be read, and the next one begins where it did. Ends when the signal is aborted or the server stops.
 */
export async function* feedPages<Page extends { readonly end?: PageEnd | undefined }>(
  { request, viewers, watch, signal }: FeedReader,
  last: PageEnd,
  read: (after: string) => Promise<Page>,
): AsyncGenerator<Page, undefined> {
  let { endCursor, hasNextPage } = last
  for (;;) {
    const isMore = async () => hasNextPage || watch.after(decodeCursor(endCursor) ?? '', tokenCheck, signal)
    const isDue = await pause(request, isMore)
    if (signal.aborted || watch.isStopped) return
    const { tokenRefusal, viewer } = await checkTokenAgain(request, viewers)
    if (!isDue && !tokenRefusal && !refusalOfRestricted(viewer, reading)) continue
    const page = await watch.reading(read, endCursor)
    yield page
    ;({ endCursor, hasNextPage } = page.end ?? { endCursor, hasNextPage: false })
  }
}
