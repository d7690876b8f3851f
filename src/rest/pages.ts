import { refuseInvalid } from '../domain/text.ts'
import { invalid } from '../errors.ts'
import { basePath } from '../http/url.ts'
import { pageSize } from '../page-size.ts'
import { maxLookups } from '../reads/lookup-list.ts'
import { maxOffset } from '../reads/page-range.ts'
import { hasPageInPath, type Operation } from './operation.ts'
import { type PathParameters, pathOf, uuidFormat } from './paths.ts'
import type { Variables } from './variables.ts'

/** The largest page number with pages of this size. */
export const lastPage = (size: number) => Math.floor(maxOffset / size)

/** The page that a request asks for. */
export type RequestedPage = {
  /** `$first` and `$offset`. */
  readonly variables: Variables
  /** The value of the `Link` header (RFC 8288), with absolute paths and the same query. `more` says whether there is a next page. */
  readonly link: (more: boolean) => string
  /** The absolute path of this page with other parameters. */
  readonly at: (parameters: PathParameters) => string
}

/**
 * Reads the page number, from the path or from `?page=`, and `?limit=`.
 *
 * @throws the refusal `VALIDATION_FAILED` for `page` or `limit`
 */
export function readPage(
  operation: Operation,
  parameters: PathParameters,
  query: URLSearchParams,
  size: number,
  prefix: string,
): RequestedPage {
  const inPath = hasPageInPath(operation)
  const { size: first, limit } = readLimit(query, size)
  const last = lastPage(first)
  const page = wholeNumber('page', parameters.page ?? query.get('page') ?? '1', last)

  const at = (number: number, named = parameters) => {
    const path = pathOf(operation.path, { ...named, page: String(number) })
    const values = `${inPath ? '' : `&page=${number}`}${limit}${keptOf(operation, query)}`.slice(1)
    return `${prefix}${basePath}${path}${values && `?${values}`}`
  }
  const link = (number: number, relation: string) => `<${at(number)}>; rel="${relation}"`
  return {
    variables: { first, offset: (page - 1) * first },
    link: (more) =>
      [
        link(1, 'first'),
        ...(page > 1 ? [link(page - 1, 'prev')] : []),
        ...(more && page < last ? [link(page + 1, 'next')] : []),
      ].join(', '),
    at: (named) => at(page, named),
  }
}

/** The parameters of a query that links to other pages keep, each after `&`. */
export function keptOf({ query: kept = {} }: Operation, query: URLSearchParams): string {
  return Object.keys(kept)
    .map((name) => [name, query.get(name)] as const)
    .map(([name, value]) => (value === null ? '' : `&${name}=${encodeURIComponent(value)}`))
    .join('')
}

/** The size of a page, from `?limit=`, and the `limit` of links to others. Throws `VALIDATION_FAILED`. */
export function readLimit(
  query: URLSearchParams,
  otherwise: number,
): { readonly size: number; readonly limit: string } {
  const limit = query.get('limit')
  if (limit === null) return { size: otherwise, limit: '' }
  const size = wholeNumber('limit', limit, pageSize.max)
  return { size, limit: `&limit=${size}` }
}

function wholeNumber(field: string, text: string, largest: number): number {
  const number = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > largest) throw invalid({ field, message: `must be a whole number from 1 to ${largest}` })
  return number
}

/** `$uuids`, from each `uuid` of the query. Throws `VALIDATION_FAILED` for a malformed one, for none, and for too many. */
export function readUuids(query: URLSearchParams): Variables {
  const uuids = query.getAll('uuid')
  if (uuids.length === 0 || uuids.length > maxLookups)
    throw invalid({ field: 'uuid', message: `must be given 1 to ${maxLookups} times` })
  const wrong = [...uuids.keys()].filter((index) => !uuidFormat.test(uuids[index] ?? ''))
  refuseInvalid(...wrong.map((index) => ({ field: `uuid[${index}]`, message: 'must be a UUID' })))
  return { uuids }
}
