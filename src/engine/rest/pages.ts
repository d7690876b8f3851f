import { maxOffset, pageSize } from '../compiler/limits.ts'
import { invalid } from '../errors.ts'
import { basePath } from '../http/url.ts'
import { type ConnectionData, type List, type Operation, pathOfList } from './operation.ts'
import { pathOf, type RequestHead } from './request-head.ts'
import type { Variables } from './variables.ts'

/** The largest page number with pages of this size. */
export const lastPage = (size: number) => Math.floor(maxOffset / size)

/** The page that a request asks for. */
export type RequestedPage = {
  /** `$first`, and `$offset` and `$after`. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with absolute paths and the same query. Undefined if there is nothing to link to. */
  readonly link: (page: ConnectionData) => string | undefined
}

/**
 * Reads which page of a list a request asks for, and `?limit=`.
 *
 * @throws the refusal `VALIDATION_FAILED` for `page` or `limit`
 */
export function readPage(
  operation: Operation,
  { by, size }: List,
  { query, parameters }: Pick<RequestHead, 'query' | 'parameters'>,
  prefix: string,
): RequestedPage {
  const limit = query.get('limit')
  const first = limit === null ? (size ?? pageSize.default) : wholeNumber('limit', limit, pageSize.max)
  const kept = `${limit === null ? '' : `&limit=${first}`}${keptOf(operation, query)}`
  const isInPath = parameters.page !== undefined
  const after = isInPath ? null : query.get('after')
  const url = (path: string, search: string) => `${prefix}${basePath}${path}${search && `?${search}`}`
  /** The path of the page with this number. */
  const numbered = (page: number) =>
    isInPath
      ? url(pathOf(operation.path, { ...parameters, page: String(page) }), kept.slice(1))
      : url(pathOf(pathOfList(operation), parameters), `page=${page}${kept}`)
  /** The path of the page after this cursor. */
  const following = (cursor: string | null) =>
    url(pathOf(pathOfList(operation), parameters), `${cursor === null ? '' : `&after=${cursor}`}${kept}`.slice(1))
  const link = (path: string, relation: string) => `<${path}>; rel="${relation}"`

  if (by !== 'number') {
    return {
      variables: { first, after },
      link: ({ pageInfo: { hasNextPage, endCursor } }) =>
        hasNextPage || by === 'feed' ? link(following(endCursor ?? ''), 'next') : undefined,
    }
  }
  const last = lastPage(first)
  const number = parameters.page ?? query.get('page')
  if (after !== null && number !== null) throw invalid({ field: 'after', message: 'cannot be combined with page' })
  const page = wholeNumber('page', number ?? '1', last)
  return {
    variables: { first, offset: (page - 1) * first, after },
    link: ({ nodes, pageInfo: { hasNextPage, endCursor } }) => {
      // The next number would look at the rows of a short page again.
      const isNumbered = after === null && page < last && nodes.length === first
      const next = isNumbered ? numbered(page + 1) : following(endCursor)
      return [
        link(numbered(1), 'first'),
        ...(page > 1 ? [link(numbered(page - 1), 'prev')] : []),
        ...(hasNextPage ? [link(next, 'next')] : []),
      ].join(', ')
    },
  }
}

/** The parameters of a query that links to other pages keep, each after `&`. */
function keptOf({ query: kept = {}, hasFullView }: Operation, query: URLSearchParams): string {
  return [...Object.keys(kept), ...(hasFullView ? ['view'] : [])]
    .flatMap((name) => query.getAll(name).map((value) => `&${name}=${encodeURIComponent(value)}`))
    .join('')
}

function wholeNumber(field: string, text: string, largest: number): number {
  const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > largest) throw invalid({ field, message: `must be a whole number from 1 to ${largest}` })
  return number
}
