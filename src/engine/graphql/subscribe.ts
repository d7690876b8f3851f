import type { FastifyRequest } from 'fastify'
import {
  type ExecutionResult,
  type FieldNode,
  GraphQLString,
  Kind,
  type NameNode,
  OperationTypeNode,
  type SelectionNode,
  type VariableNode,
  valueFromAST,
} from 'graphql'
import { z } from 'zod'
import { setsOf } from '../compiler/selection.ts'
import { Refusal } from '../errors.ts'
import { coerceVariables } from '../execution/coerce-variables.ts'
import { rootsOf } from '../execution/operation-analysis.ts'
import { readOperation } from '../execution/pipeline.ts'
import { PreparedOperation, type SubscriptionQuery } from '../execution/prepared-operation.ts'
import { RequestContext } from '../execution/request-context.ts'
import type { ApiServices } from '../http/api-services.ts'
import { feedPages } from '../http/feed-pages.ts'
import { pause, releaseSlots } from '../http/request-slots.ts'
import type { RequestedOperation } from './find-operation.ts'
import type { Accepted, OperationResult, Streamed } from './respond.ts'

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
  request.lifetime.atEnd(await watch.enter('stream', request.rateLimitKey))
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

/** The variable with the cursor that a page comes after. It is no name that a client could use. */
const cursorVariable = 'cursor of the last change'

/** How many changes the page of a subscription has at most: so few that most pages are cheap. */
const subscribedPageSize = 10

const nameOf = (value: string): NameNode => ({ kind: Kind.NAME, value })
const variable: VariableNode = { kind: Kind.VARIABLE, name: nameOf(cursorVariable) }
const fieldOf = (name: string, selections?: readonly SelectionNode[]): FieldNode => ({
  kind: Kind.FIELD,
  name: nameOf(name),
  ...(selections && { selectionSet: { kind: Kind.SELECTION_SET, selections } }),
})

/** The query of a valid subscription: it reads the connection of the same name, and selects of its nodes what the subscription does. */
function subscriptionQuery(subscription: PreparedOperation): SubscriptionQuery {
  subscription.subscriptionQuery ??= makeQuery(subscription)
  return subscription.subscriptionQuery
}

function makeQuery(subscription: PreparedOperation): SubscriptionQuery {
  const { schema, operation, document } = subscription
  const [[key, { nodes }] = ['', { nodes: [] }]] = rootsOf({ ...subscription, variableValues: {} })
  const [field] = nodes
  if (!field) throw new TypeError('A subscription has one field')
  const selected = setsOf(nodes).flatMap(({ selections }) => selections)
  const node = fieldOf('node', selected)
  const page = [
    fieldOf('edges', [fieldOf('cursor'), node]),
    fieldOf('pageInfo', [fieldOf('endCursor'), fieldOf('hasNextPage')]),
  ]
  const others = field.arguments?.filter(({ name }) => name.value !== 'after') ?? []
  const connection: FieldNode = {
    ...field,
    arguments: [
      ...others,
      { kind: Kind.ARGUMENT, name: nameOf('first'), value: { kind: Kind.INT, value: String(subscribedPageSize) } },
      { kind: Kind.ARGUMENT, name: nameOf('after'), value: variable },
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: page },
  }
  const type = { kind: Kind.NAMED_TYPE, name: nameOf('String') } as const
  const query = {
    ...operation,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: [
      ...(operation.variableDefinitions ?? []),
      { kind: Kind.VARIABLE_DEFINITION, variable, type } as const,
    ],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [connection] } as const,
  }
  const definitions = document.definitions.map((it) => (it === operation ? query : it))
  return { query: new PreparedOperation(schema, { ...document, definitions }, query), key, field }
}
