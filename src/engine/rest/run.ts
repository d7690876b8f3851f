import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { invalid, Refusal } from '../errors.ts'
import { readOperation } from '../execution/pipeline.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { RequestContext } from '../execution/request-context.ts'
import type { ApiServices } from '../http/api-services.ts'
import { feedPages } from '../http/feed-pages.ts'
import type { List } from './operation.ts'
import type { Variables } from './variables.ts'

/** The data of an operation, or why it was refused, and the headers of the response. */
type Result = {
  readonly data?: unknown
  readonly refusal?: Refusal
  readonly headers: Readonly<Record<string, string>>
}

/** Runs an operation of GraphQL. */
export type Run = (operation: PreparedOperation, variables: Variables) => Promise<Result>

/** Runs operations for a request. `nameOf` tells how the request calls a field that an error names. */
export function runner(
  services: ApiServices,
  request: FastifyRequest,
  options: RequestContext['options'],
  nameOf: (field: string) => string,
): Run {
  return async (operation, variables) => {
    const context = new RequestContext(services, request, operation, options)
    const { data, errors, extensions } = await readOperation(services.pipeline, context, variables)
    const [first, ...others] = errors
    const headers = extensions?.http?.headers ?? {}
    return first ? { refusal: refusalOfErrors(first, others, nameOf), headers } : { data, headers }
  }
}

/**
 * One refusal for the errors of a result: the first, with the field errors of all that share its code. `nameOf` tells how the caller
 * wrote a field.
 */
function refusalOfErrors(
  first: GraphQLError,
  others: readonly GraphQLError[],
  nameOf: (field: string) => string,
): Refusal {
  const { originalError: refusal } = first
  if (!(refusal instanceof Refusal)) throw first
  if (refusal.code !== 'VALIDATION_FAILED') return refusal
  const [field, ...fields] = [first, ...others]
    .flatMap(({ originalError: it }) => (it instanceof Refusal && it.code === refusal.code && it.details.errors) || [])
    .map(({ field, message }) => ({ field: nameOf(field), message }))
  return field ? invalid(field, ...fields) : refusal
}

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
    const { lifetime, rateLimitKey } = request
    lifetime.atEnd(await watch.enter('poll', rateLimitKey))
    const signal = AbortSignal.any([lifetime.signal, AbortSignal.timeout(seconds * 1_000)])
    const reader = { request, watch, viewers, signal }
    const pages = feedPages(reader, page.end, (after) => read({ after }))
    for await (page of pages) if (!page.isEmpty || page.end?.hasNextPage) break
  }
  return page.result
}
