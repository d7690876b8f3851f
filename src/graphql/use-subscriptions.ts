import { type ExecutionResult, GraphQLString, valueFromAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { z } from 'zod'
import type { ChangeWatch } from '../domain/change-watch.ts'
import { Refusal } from '../errors.ts'
import { followChanges } from '../http/follow-changes.ts'
import type { ServedRequest } from '../http/served-request.ts'
import type { Log } from '../log.ts'
import type { Documents } from '../operations/documents.ts'
import { graphQLError, maskError } from '../operations/mask.ts'
import { cursorVariable, type PageOperation, pageOperation } from '../operations/page-operation.ts'
import type { GetEnveloped } from '../operations/pipeline.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { runOperation } from '../operations/run-operation.ts'
import type { VariableValues } from '../reads/selection.ts'
import { chargedTo } from '../schema/context.ts'
import { type Streamed, writeEvents } from './event-stream.ts'
import { eventsFor } from './media-type.ts'
import type { GraphQLContext } from './use-parameters.ts'

const pageIn = z
  .object({
    edges: z.array(z.object({ cursor: z.string(), node: z.unknown() })),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  })
  .transform(({ edges, pageInfo: end }) => ({ edges, end }))

type Failed = Required<Pick<ExecutionResult, 'errors'>> & { readonly data?: null; readonly end?: undefined }
type Page = z.infer<typeof pageIn>

/** Serves subscriptions. Each is the page of a query, which is read when it begins, and again when there may be changes. */
export function useSubscriptions(
  getEnveloped: GetEnveloped,
  documents: Documents,
  watch: ChangeWatch,
  log: Log,
): Plugin<GraphQLContext, GraphQLContext> {
  const operations = new WeakMap<PreparedOperation, PageOperation>()

  function operationOf(subscription: PreparedOperation): PageOperation {
    const page = operations.get(subscription) ?? pageOperation(documents.schema, subscription)
    operations.set(subscription, page)
    return page
  }

  /** Reads the first page, whose errors are those of the response, and then the events. */
  async function begin({ caller, session, operation }: GraphQLContext, sent: VariableValues) {
    if (!operation) throw new TypeError('There is no operation to run')
    const { query, key, field } = operationOf(operation)
    const { coerced, errors } = query.coerce(sent, { hidesSuggestions: !documents.introspection })
    if (errors) return { errors }
    const given = field.arguments?.find(({ name }) => name.value === 'after')?.value
    const start = caller.message.headers['last-event-id'] || valueFromAST(given, GraphQLString, coerced)
    const read = async (after: string | null): Promise<Page | Failed> => {
      const variables = { ...sent, [cursorVariable]: after }
      const { data, errors } = await runOperation(getEnveloped, query, variables, caller.context())
      return errors.length > 0 ? { errors, ...(data === null && { data }) } : pageIn.parse(Object(data)[key])
    }
    const first = await read(start == null ? null : String(start))
    if ('errors' in first) return first
    if (caller.method === 'HEAD' || !eventsFor(caller.message.headers.accept).isTaken) {
      const advice = 'Subscriptions are streams of events: send GET or POST with "Accept: text/event-stream".'
      return { errors: [graphQLError(new Refusal('BAD_REQUEST', advice), 'request')] }
    }
    caller.atEnd(await watch.enter('stream', chargedTo(session, caller)))
    return events(caller, key, first, read)
  }

  async function* events(
    caller: ServedRequest,
    key: string,
    first: Page,
    read: (after: string) => Promise<Page | Failed>,
  ): AsyncGenerator<Streamed, undefined> {
    caller.release()
    yield* eventsOf(key, first)
    let position = first.end.endCursor
    for await (const page of followChanges(caller, watch, first.end, read)) {
      if (!('errors' in page)) {
        yield* eventsOf(key, page, position)
        position = page.end.endCursor
        continue
      }
      const seconds = secondsToWait(page)
      if (seconds === undefined) return void (yield page)
      await caller.wait(() => watch.pause(seconds * 1_000, caller.signal))
    }
    // Without a last event, so that the client continues with another process.
    if (watch.isStopped) caller.message.socket.destroy()
  }

  return {
    onResultProcess: ({ serverContext: { caller, operation }, setResultProcessor }) => {
      if (caller.method === 'HEAD') return
      const { isTaken, isOnly } = eventsFor(caller.message.headers.accept)
      // Of a client that takes nothing else, so are all results (GraphQL over SSE, distinct connections mode).
      if (isOnly || (isTaken && operation?.operation.operation === 'subscription'))
        setResultProcessor(writeEvents, 'text/event-stream')
    },
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn(async ({ contextValue, variableValues }) => {
        try {
          return await begin(contextValue, variableValues ?? {})
        } catch (error) {
          return { errors: [maskError(error, 'operation', contextValue.requestId, log)] }
        }
      }),
  }
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
