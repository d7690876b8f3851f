import type { FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLString, valueFromAST } from 'graphql'
import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { coerceVariables } from '../execution/coerce-variables.ts'
import { cursorVariable, pageOperation } from '../execution/page-operation.ts'
import { readOperation } from '../execution/pipeline.ts'
import type { Api } from '../http/api.ts'
import { followChanges } from '../http/follow-changes.ts'
import { pause } from '../http/pause.ts'
import { releaseSlots } from '../http/request-slots.ts'
import { Context } from '../schema/context.ts'
import type { Accepted } from './accept.ts'
import type { Outcome, Streamed } from './event-stream.ts'
import type { Asked } from './find-operation.ts'

const pageIn = z
  .object({
    edges: z.array(z.object({ cursor: z.string(), node: z.unknown() })),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  })
  .transform(({ edges, pageInfo: end }) => ({ edges, end }))

type Failed = Required<Pick<ExecutionResult, 'errors'>> & { readonly data?: null; readonly end?: undefined }
type Page = z.infer<typeof pageIn>

/**
 * Runs a subscription: the page of a query, which is read when it begins, and again when there may be changes. The errors of the first page
 * are those of the response.
 */
export async function subscribe(
  api: Api,
  { operation, variables: sent }: Asked,
  request: FastifyRequest,
  { takesEvents }: Accepted,
): Promise<Outcome> {
  const { service, pipeline, documents, watch } = api
  const { query, key, field } = pageOperation(operation)
  const { coerced, errors } = coerceVariables(query, sent, !documents.introspection)
  if (errors) return { errors }
  const given = field.arguments?.find(({ name }) => name.value === 'after')?.value
  const start = request.raw.headers['last-event-id'] || valueFromAST(given, GraphQLString, coerced)
  const read = async (after: string | null): Promise<Page | Failed> => {
    const context = new Context(service, request, query)
    const { data, errors } = await readOperation(pipeline, context, { ...sent, [cursorVariable]: after })
    return errors.length > 0 ? { errors, ...(data === null && { data }) } : pageIn.parse(Object(data)[key])
  }
  const first = await read(start == null ? null : String(start))
  if ('errors' in first) return first
  if (request.method === 'HEAD' || !takesEvents) {
    const advice = 'Subscriptions are streams of events: send GET or POST with "Accept: text/event-stream".'
    throw new Refusal('BAD_REQUEST', advice)
  }
  request.lifetime.atEnd(await watch.enter('stream', request.identity.account))
  return events(api, request, key, first, read)
}

async function* events(
  { watch, service: { sessions } }: Api,
  request: FastifyRequest,
  key: string,
  first: Page,
  read: (after: string) => Promise<Page | Failed>,
): AsyncGenerator<Streamed, undefined> {
  const { signal } = request.lifetime
  releaseSlots(request)
  yield* eventsOf(key, first)
  let position = first.end.endCursor
  for await (const page of followChanges({ request, sessions, watch, signal }, first.end, read)) {
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
function secondsToWait({ errors: [error] }: Failed): number | undefined {
  const refusal = error?.originalError
  const seconds = refusal instanceof Refusal ? refusal.headers['retry-after'] : undefined
  return seconds === undefined ? undefined : Number(seconds)
}
