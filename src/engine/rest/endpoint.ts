import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NIL as nothing } from 'uuid'
import { requireScopes, requireUnrestricted } from '../auth/viewers.ts'
import { invalid } from '../errors.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { fieldAt, pathsOfVariables } from '../execution/value-errors.ts'
import type { ApiServices } from '../http/api-services.ts'
import { encodingOf } from '../http/compression.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { onlyOnPrimary, positionIn } from '../http/position.ts'
import { matchesWeakly, refuseTags, tagOfEncoding } from '../http/static-text.ts'
import { type Extent, textOf } from './graphql.ts'
import {
  type Asked,
  bodyOfResponse,
  conditionalRead,
  type Endpoint,
  type Operation,
  type RestInterface,
} from './operation.ts'
import { type RequestedPage, readPage } from './pages.ts'
import { conditionOfWrite, type Preconditions, preconditionsIn, requireState, withCurrentTag } from './preconditions.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { preferredWait, type Run, readWhenChanged, runner } from './run.ts'
import { entityTag } from './tagged-resource.ts'
import { bodyFields, bodyVariables, queryVariables, type Variables, variablesOf } from './variables.ts'

/** An endpoint, and whether it needs a token. */
type Prepared = { readonly endpoint: Endpoint; readonly needsToken: boolean }

/** Prepares the endpoint of an operation. What reads full views is prepared when it is used first. */
export function prepareEndpoint(rest: RestInterface, definition: Operation, services: ApiServices): Prepared {
  const documented = endpointOf(rest, definition, services, { isFull: false })
  if (!definition.hasFullView) return documented
  let full: Endpoint | undefined
  const endpoint: Endpoint = (request, reply) => {
    if (request.head.query.get('view') !== 'full') return documented.endpoint(request, reply)
    full ??= endpointOf(rest, definition, services, { isFull: true }).endpoint
    return full(request, reply)
  }
  return { ...documented, endpoint }
}

/** Whom a response to a request without a token is for. */
const nobody = { id: nothing }

function endpointOf(rest: RestInterface, definition: Operation, services: ApiServices, extent: Extent): Prepared {
  const { id, list } = definition
  const prepared = prepareDocuments(rest, definition, services.documents, extent)
  const { operation, find, requiredScopes, uses, needsToken } = prepared
  const readRequest = requestReader(definition, operation, services.prefix, extent)
  const isWrite = definition.method !== 'GET'
  const isForEverybody = definition.cachedFor !== undefined
  const own = conditionalRead(rest, definition)
  const resource = own && { ...own, ...extent, operation: services.documents.prepare(textOf(own.document, extent)) }

  const endpoint: Endpoint = async (request, reply) => {
    const { logEntry, raw, head } = request
    const viewer = (!isForEverybody && request.viewer) || nobody
    logEntry.report({ operation: id, isOperationKnown: true })
    const preconditions = preconditionsIn(raw.headers)
    const options = isWrite
      ? { after: onlyOnPrimary, repeatable: () => repeatableIn(request) }
      : { after: positionIn(raw.headers) }
    requireUnrestricted(request.viewer, ...uses)
    requireScopes(request.viewer, requiredScopes)
    const { variables: given, nameOf, page, seconds } = readRequest(request)
    if (isWrite && !resource) refuseTags(raw.headers)

    const run = runner(services, request, options, nameOf)
    const named = find && given.uuid === undefined ? await uuidOf(run, find, given) : undefined
    const condition = resource && (await conditionOfWrite(resource, preconditions, { ...head, viewer }, run))
    const variables = { ...given, ...named, ...condition?.variables }
    const result =
      list && seconds > 0
        ? await readWhenChanged({ request, services, seconds, list }, (after) =>
            run(operation, { ...variables, ...after }),
          )
        : await run(operation, variables)
    reply.headers(result.headers)
    if (result.refusal) throw condition ? await withCurrentTag(result.refusal, condition, reply) : result.refusal
    if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`)
    return respond(
      definition,
      { data: result.data, asked: { viewer, variables, ...extent }, preconditions, page },
      raw.headers,
      reply,
    )
  }
  return { endpoint, needsToken }
}

/** The uuid of what a path names. If there is none, it is that of nothing, so that what else is wrong with a write is found first. */
async function uuidOf(run: Run, find: PreparedOperation, variables: Variables): Promise<Variables> {
  const { data, refusal } = await run(find, variables)
  if (refusal) throw refusal
  const { found } = Object(data)
  return { uuid: found ? String(found.uuid) : nothing }
}

/** What a request asks for. */
type RestRequest = {
  readonly variables: Variables
  /** How the request calls a field of the document. */
  readonly nameOf: (field: string) => string
  /** The page of a list. */
  readonly page: RequestedPage | undefined
  /** For how long it waits for changes. */
  readonly seconds: number
}

/** What reads the requests of an operation: their path, query and body. Throws `VALIDATION_FAILED`. */
function requestReader(definition: Operation, operation: PreparedOperation, prefix: string, { isFull }: Extent) {
  const { body: sendable, query, list, path, hasFullView } = definition
  const declared = variablesOf(operation)
  const fields = bodyFields(path, declared)
  const variableAt = new Map([...pathsOfVariables(operation)].map(([name, path]) => [fieldAt(path), name]))
  /** The variable, named like the field or parameter that sets it, that is used at this place of the document. */
  const variableOf = (field: string) => field.replace(/^[^[]*/, (place) => variableAt.get(place) ?? place)

  return (request: FastifyRequest): RestRequest => {
    const { raw, body, head } = request
    if (hasFullView) checkView(head.query)
    const page = list && readPage(definition, list, head, prefix)
    const seconds = list?.by === 'feed' && head.query.has('after') ? preferredWait(raw.headers) : 0
    const isLeftOut = sendable?.isOptional && body === undefined
    const sent = sendable && bodyVariables(isLeftOut ? {} : body, fields, sendable.aliases)
    const chosen = query && queryVariables(head.query, query, declared)
    const meant = sent && ((!isFull && sendable.meaning?.(sent.variables)) || sent.variables)
    return {
      variables: { ...meant, ...chosen, ...page?.variables, ...head.variables },
      nameOf: (field) => sent?.aliases.get(variableOf(field)) ?? variableOf(field),
      page,
      seconds,
    }
  }
}

function checkView(query: URLSearchParams): void {
  const view = query.get('view')
  if (view !== null && view !== 'full') throw invalid({ field: 'view', message: 'must be full' })
}

/**
 * Lets a client, but no shared cache, store the response and revalidate it before each use, or any cache use it for some seconds (RFC 9111,
 * section 5.2.2).
 */
const cachingOf = ({ cachedFor }: Operation) =>
  cachedFor === undefined
    ? { 'cache-control': 'private, no-cache', vary: 'Authorization, accept-encoding' }
    : { 'cache-control': `public, max-age=${cachedFor}`, vary: 'accept-encoding' }

/** What an operation returned. */
type Done = {
  readonly data: unknown
  readonly asked: Asked
  readonly preconditions: Preconditions
  readonly page: RequestedPage | undefined
}

/** Responds with the data of an operation. Throws `NOT_FOUND`, and for what is only read `PRECONDITION_FAILED`. */
function respond(
  definition: Operation,
  { data, asked, preconditions, page }: Done,
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
): Buffer | FastifyReply {
  const { method, tagged, list } = definition
  const text = JSON.stringify(bodyOfResponse(definition, data, asked))
  const entity = tagged && entityTag(tagged, data, asked, () => text)
  const etag = entity && tagOfEncoding(entity.tag, encodingOf(headers, entity.length))
  if (etag !== undefined) reply.header('etag', etag)
  if (method === 'GET') {
    requireState(preconditions, entity?.tag, tagged?.resource(data))
    if (etag) reply.headers(cachingOf(definition))
    if (etag && preconditions.ifNoneMatch && matchesWeakly(preconditions.ifNoneMatch, etag))
      return reply.code(304).send()
  }
  const connection = list?.of(data)
  const link = connection && page?.link(connection)
  if (link !== undefined) reply.header('link', link)
  reply.header('content-type', 'application/json')
  // Fastify would add a charset to JSON that is text.
  return Buffer.from(text)
}
