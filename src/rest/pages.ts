import type { FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'
import { basePath } from '../http/url.ts'
import { pageSize } from '../page-size.ts'
import { maxOffset } from '../reads/page-range.ts'
import { type Connection, hasPageInPath, type List, type Operation } from './operation.ts'
import { type PathParameters, pathOf } from './paths.ts'
import type { Variables } from './variables.ts'

/** The largest page number with pages of this size. */
export const lastPage = (size: number) => Math.floor(maxOffset / size)

/** The page that a request asks for. */
export type RequestedPage = {
  /** `$first`, and `$offset` or `$after`. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with absolute paths and the same query. Undefined if there is nothing to link to. */
  readonly link: (page: Connection) => string | undefined
  /** The absolute path of this page with other parameters. */
  readonly at: (parameters: PathParameters) => string
}

/**
 * Reads which page of a list a request asks for, and `?limit=`.
 *
 * @throws the refusal `VALIDATION_FAILED` for `page` or `limit`
 */
export function readPage(
  operation: Operation,
  { by, size }: List,
  { search, named: { parameters } }: FastifyRequest,
  prefix: string,
): RequestedPage {
  const limit = search.get('limit')
  const first = limit === null ? (size ?? pageSize.default) : wholeNumber('limit', limit, pageSize.max)
  const kept = `${limit === null ? '' : `&limit=${first}`}${keptOf(operation, search)}`
  const inPath = hasPageInPath(operation)

  /** The path of the page with this number, or after this cursor. */
  const at = (page: number | string | null, named = parameters) => {
    const path = pathOf(operation.path, { ...named, page: String(page) })
    const own = inPath || page === null ? '' : `&${by === 'number' ? 'page' : 'after'}=${page}`
    const query = `${own}${kept}`.slice(1)
    return `${prefix}${basePath}${path}${query && `?${query}`}`
  }
  const link = (page: number | string, relation: string) => `<${at(page)}>; rel="${relation}"`

  if (by !== 'number') {
    const after = search.get('after')
    return {
      variables: { first, after },
      link: ({ pageInfo: { hasNextPage, endCursor } }) =>
        hasNextPage || by === 'feed' ? link(endCursor ?? '', 'next') : undefined,
      at: (named) => at(after, named),
    }
  }
  const last = lastPage(first)
  const page = wholeNumber('page', parameters.page ?? search.get('page') ?? '1', last)
  return {
    variables: { first, offset: (page - 1) * first },
    link: ({ pageInfo: { hasNextPage } }) =>
      [
        link(1, 'first'),
        ...(page > 1 ? [link(page - 1, 'prev')] : []),
        ...(hasNextPage && page < last ? [link(page + 1, 'next')] : []),
      ].join(', '),
    at: (named) => at(page, named),
  }
}

/** The parameters of a query that links to other pages keep, each after `&`. */
function keptOf({ query: kept = {} }: Operation, query: URLSearchParams): string {
  return Object.keys(kept)
    .map((name) => [name, query.get(name)] as const)
    .map(([name, value]) => (value === null ? '' : `&${name}=${encodeURIComponent(value)}`))
    .join('')
}

function wholeNumber(field: string, text: string, largest: number): number {
  const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > largest) throw invalid({ field, message: `must be a whole number from 1 to ${largest}` })
  return number
}
