import { setTimeout as sleep } from 'node:timers/promises'
import { type ExecutionResult, GraphQLString, valueFromAST } from 'graphql'
import { getSSEProcessor, type Plugin } from 'graphql-yoga'
import { z } from 'zod'
import type { ChangeWatch } from '../domain/change-watch.ts'
import { Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Documents } from '../operations/documents.ts'
import { graphQLError, maskError } from '../operations/mask.ts'
import { cursorVariable, type PageOperation, pageOperation } from '../operations/page-operation.ts'
import type { CompiledResult, GetEnveloped } from '../operations/pipeline.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { runOperation } from '../operations/run-operation.ts'
import { decodeCursor } from '../reads/cursor.ts'
import type { VariableValues } from '../reads/selection.ts'
import { chargedTo } from '../schema/context.ts'
import { eventsFor } from './media-type.ts'
import type { GraphQLContext } from './use-parameters.ts'

/** How often the token of a stream is checked, in milliseconds: with the age of a session, it ends within 5 seconds of being revoked. */
const tokenCheck = 1_500

const pageIn = z.object({
  edges: z.array(z.object({ cursor: z.string(), node: z.unknown() })),
  pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
})

const now = z.object({ changeCursor: z.string() }).transform(({ changeCursor }) => changeCursor)

type Failed = Required<Pick<ExecutionResult, 'errors'>> & { readonly data?: null }
type Page = z.infer<typeof pageIn>

/** Serves subscriptions. Each is the page of a query, which is read when it begins, and again when there may be changes. */
export function useSubscriptions(
  getEnveloped: GetEnveloped,
  documents: Documents,
  watch: ChangeWatch,
  log: Log,
): Plugin<GraphQLContext, GraphQLContext> {
  const processEvents = getSSEProcessor()
  const writeEvents: typeof processEvents = async (result, fetchAPI, mediaType) => {
    const { body, status, headers } = await processEvents(result, fetchAPI, mediaType)
    // Clients read events only with 200 (GraphQL over SSE), and come again after others.
    const response = new fetchAPI.Response(body, { status: headers.has('retry-after') ? status : 200, headers })
    for (const name of ['connection', 'cache-control', 'content-encoding']) response.headers.delete(name)
    // nginx would collect the events.
    response.headers.set('x-accel-buffering', 'no')
    return response
  }
  const cursorOfNow = documents.prepare('{ changeCursor }')
  const pages = new WeakMap<PreparedOperation, PageOperation>()

  function pageOf(subscription: PreparedOperation): PageOperation {
    const page = pages.get(subscription) ?? pageOperation(documents.schema, subscription)
    pages.set(subscription, page)
    return page
  }

  /** Reads by an operation as the caller, whose token was checked last. */
  async function read<T>(
    { caller }: GraphQLContext,
    operation: PreparedOperation,
    variables: VariableValues,
    result: (data: Readonly<Record<string, unknown>>) => T,
  ): Promise<T | Failed> {
    const { data, errors } = await runOperation(getEnveloped, operation, variables, caller.context())
    return errors.length > 0 ? { errors, ...(data === null && { data }) } : result(Object(data))
  }

  /** Reads the first page, whose errors are those of the response, and then the events. */
  async function begin(context: GraphQLContext, sent: VariableValues) {
    const { caller, session, operation } = context
    if (!operation) throw new TypeError('There is no operation to run')
    const { query, key, field } = pageOf(operation)
    const { coerced, errors } = query.coerce(sent, { hidesSuggestions: !documents.introspection })
    if (errors) return { errors }
    const given = field.arguments?.find(({ name }) => name.value === 'after')?.value
    const start = caller.message.headers['last-event-id'] || valueFromAST(given, GraphQLString, coerced)
    const cursor = start == null ? await read(context, cursorOfNow, {}, (data) => now.parse(data)) : String(start)
    if (typeof cursor !== 'string') return cursor
    const next = (after: string) =>
      read(context, query, { ...sent, [cursorVariable]: after }, (data) => pageIn.parse(data[key]))
    const page = await next(cursor)
    if ('errors' in page) return page
    if (caller.method === 'HEAD' || !eventsFor(caller.message.headers.accept).isTaken) {
      const advice = 'Subscriptions are streams of events: send GET or POST with "Accept: text/event-stream".'
      return { errors: [graphQLError(new Refusal('BAD_REQUEST', advice), 'request')] }
    }
    caller.atEnd(await watch.enter('stream', chargedTo(session, caller)))
    return events(context, key, page, next)
  }

  async function* events(
    { caller }: GraphQLContext,
    key: string,
    first: Page,
    next: (after: string) => Promise<Page | Failed>,
  ): AsyncGenerator<CompiledResult> {
    const { signal } = caller
    let { edges, pageInfo } = first
    caller.release()
    for (;;) {
      for (const { cursor, node } of edges) yield eventOf(cursor, { [key]: node })
      edges = []
      const { endCursor, hasNextPage } = pageInfo
      const isMore = await caller.wait(
        async () => hasNextPage || watch.after(decodeCursor(endCursor) ?? '', tokenCheck, signal),
      )
      // Without a last event, so that the client continues with another process.
      if (watch.isStopped) caller.message.socket.destroy()
      if (signal.aborted || watch.isStopped) return
      const { refusal } = await caller.authenticate()
      if (!isMore && !refusal) continue
      const page = await watch.reading(next, endCursor)
      if (!('errors' in page)) {
        ;({ edges, pageInfo } = page)
        continue
      }
      const seconds = secondsToWait(page)
      if (seconds === undefined) return yield page
      pageInfo = { endCursor, hasNextPage: false }
      await caller.wait(() => sleep(seconds * 1_000, undefined, { signal }).catch(() => undefined))
    }
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

/** The event of a change. Yoga writes the JSON in a line of its own, so a further line is a further field of the event. */
function eventOf(cursor: string, data: Readonly<Record<string, unknown>>): CompiledResult {
  return { data, stringify: (result) => `${JSON.stringify(result)}\nid: ${cursor}` }
}

/** In how many seconds a page that failed can be read; undefined if it never can. */
function secondsToWait({ errors: [error] }: Failed): number | undefined {
  const refusal = error?.originalError
  const seconds = refusal instanceof Refusal ? refusal.headers['retry-after'] : undefined
  return seconds === undefined ? undefined : Number(seconds)
}
