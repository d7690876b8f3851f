import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLString, valueFromAST } from 'graphql'
import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { coerceVariables } from '../execution/coerce-variables.ts'
import { readOperation } from '../execution/pipeline.ts'
import { RequestContext } from '../execution/request-context.ts'
import { cursorVariable, subscriptionQuery } from '../execution/subscription-query.ts'
import type { ApiServices } from '../http/api-services.ts'
import { feedPages } from '../http/feed-pages.ts'
import { pause } from '../http/pause.ts'
import { releaseSlots } from '../http/request-slots.ts'
import type { Accepted } from './accept.ts'
import type { OperationResult, Streamed } from './event-stream.ts'
import type { RequestedOperation } from './find-operation.ts'

const pageIn = z
  .object({
    edges: z.array(z.object({ cursor: z.string(), node: z.unknown() })),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  })
  .transform(({ edges, pageInfo: end }) => ({ edges, end }))

type FailedPage = Required<Pick<ExecutionResult, 'errors'>> & { readonly data?: null; readonly end?: undefined }
type Page = z.infer<typeof pageIn>

/**
 * Runs a subscription: the page of a query, which is read when it begins, and again when there may be changes. The errors of the first page
 * are those of the response.
 */
export async function subscribe(
  services: ApiServices,
  { operation, variables: sent }: RequestedOperation,
  request: FastifyRequest,
  { takesEvents }: Accepted,
): Promise<OperationResult> {
  const { pipeline, documents, watch } = services
  const { query, key, field } = subscriptionQuery(operation)
  const { coerced, errors } = coerceVariables(query, sent, !documents.introspection)
  if (errors) return { errors }
  const given = field.arguments?.find(({ name }) => name.value === 'after')?.value
  const start = request.raw.headers['last-event-id'] || valueFromAST(given, GraphQLString, coerced)
  const read = async (after: string | null): Promise<Page | FailedPage> => {
    const context = new RequestContext(services, request, query)
    const { data, errors } = await readOperation(pipeline, context, { ...sent, [cursorVariable]: after })
    return errors.length > 0 ? { errors, ...(data === null && { data }) } : pageIn.parse(Object(data)[key])
  }
  const first = await read(start == null ? null : String(start))
  if ('errors' in first) return first
  if (request.method === 'HEAD' || !takesEvents) {
    const advice = 'Subscriptions are streams of events: send GET or POST with "Accept: text/event-stream".'
    throw new Refusal('BAD_REQUEST', advice)
  }
  request.lifetime.atEnd(await watch.enter('stream', request.account))
  return events(services, request, key, first, read)
}

async function* events(
  { watch, viewers }: ApiServices,
  request: FastifyRequest,
  key: string,
  first: Page,
  read: (after: string) => Promise<Page | FailedPage>,
): AsyncGenerator<Streamed, undefined> {
  const { signal } = request.lifetime
  releaseSlots(request)
  yield* eventsOf(key, first)
  let position = first.end.endCursor
  for await (const page of feedPages({ request, viewers, watch, signal }, first.end, read)) {
    if (!('errors' in page)) {
      yield* eventsOf(key, page, position)
      position = page.end.endCursor
      continue
    }
    const seconds = secondsToWait(page)
    if (seconds === undefined) return void (yield page)
    await pause(request, () => watch.pause(seconds * 1_000, signal))
  }
  // Without a last event, so that the client continues with another process.
  if (watch.isStopped) request.raw.socket.destroy()
}

/**
 * The events of a page, and where it ends if its client does not know: the last event, or before it `position`, is where it resumes. So its
 * cursor does not expire while nothing matches.
 */
function* eventsOf(
  key: string,
  { edges, end: { endCursor } }: Page,
  position?: string,
): Generator<Streamed, undefined> {
  for (const { cursor: id, node } of edges) yield { id, data: { [key]: node } }
  if (endCursor !== (edges.at(-1)?.cursor ?? position)) yield { id: endCursor }
}

/** In how many seconds a page that failed can be read; undefined if it never can. */
function secondsToWait({ errors: [error] }: FailedPage): number | undefined {
  const refusal = error?.originalError
  const seconds = refusal instanceof Refusal ? refusal.headers['retry-after'] : undefined
  return seconds === undefined ? undefined : Number(seconds)
}
