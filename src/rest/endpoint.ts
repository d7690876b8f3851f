import { insufficientScope } from '../domain/access.ts'
import type { RepeatableRequest } from '../domain/idempotency.ts'
import type { Session } from '../domain/sessions.ts'
import type { Refusal } from '../errors.ts'
import { type Executor, resultOf } from '../execution/executor.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import { parseJson, readJsonText } from '../http/body.ts'
import { matchesWeakly, readEntityTags } from '../http/entity-tags.ts'
import { repeatableRequest, replayHeaders } from '../http/idempotency-key.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpResponse } from '../http/response.ts'
import type { Context } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import { entityTag, unchangedSince } from './entity-tag.ts'
import { isRepeatable, type Operation } from './operation.ts'
import { readPage } from './pages.ts'
import { hasPageInPath } from './paths.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { problem, refusalOf } from './problem.ts'
import { readUuids } from './uuids.ts'
import { bodyVariables, type Variables } from './variables.ts'

/** Lets a client, but no shared cache, store the response and revalidate it before each use (RFC 9111, section 5.2.2). */
const revalidation = { 'cache-control': 'private, no-cache', vary: 'Authorization' }

/** An authenticated request to a known path and method. */
export type EndpointRequest = {
  readonly request: HttpRequest
  readonly query: URLSearchParams
  readonly session: Session
  /** The decoded path. */
  readonly segments: readonly string[]
  /** Those that the path sets. */
  readonly variables: Variables
}

/** Handles a request. Rejects with a refusal, in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
export type Endpoint = (request: EndpointRequest) => Promise<HttpResponse>

/** Prepares the endpoint of an operation. Throws when one of its documents does not fit the schema. */
export function prepareEndpoint(definition: Operation, executor: Executor): Endpoint {
  const { pages, lookup, response, tagged } = definition
  const fields = definition.body
  const { operation, lookupOperation, requiredScopes } = prepareDocuments(definition, executor)
  const inPath = hasPageInPath(definition)
  const isRead = definition.method === 'GET'

  return async ({ request, query, session, segments, variables }) => {
    request.caller.noteOperation(definition.id)
    const ifNoneMatch = tagged && isRead ? readEntityTags('If-None-Match', request.ifNoneMatch) : undefined
    const ifMatch = definition.ifMatch && readEntityTags('If-Match', request.ifMatch)
    const text = fields && (await readJsonText(request))
    const body = text === undefined ? undefined : parseBody(text)
    if (!satisfies(session.scopes, requiredScopes)) throw insufficientScope(requiredScopes)
    const page = pages && readPage(segments, query, { inPath, size: pages.size })
    const listed = definition.uuids && readUuids(query)
    const sent = fields && bodyVariables(body, fields)
    const given = { ...sent?.variables, ...page?.variables, ...listed, ...variables }
    const condition = ifMatch && { ifUnchangedSince: unchangedSince(ifMatch, String(variables.uuid)) }
    const nameOf = (field: string) => sent?.aliases.get(field) ?? field

    const { method, path, idempotencyKey } = request
    const repeatable = isRepeatable(definition)
      ? repeatableRequest(idempotencyKey, session, { method, path, ifMatch: request.ifMatch, body: text })
      : undefined
    const { data, refusal, isReplay, all, avatar } = await request.execute({ session }, async (context) => {
      const found =
        lookup && lookupOperation && lookup.isNeeded(given)
          ? lookup.variables(await look(executor, lookupOperation, given, context, nameOf))
          : {}
      const all = { ...given, ...found, ...condition }
      return { ...(await run(executor, operation, all, context, nameOf, repeatable)), all, avatar: context.avatar }
    })
    const replay = isReplay ? replayHeaders : {}
    if (refusal) {
      const { headers, ...rest } = problem(refusal, request.requestId, session)
      return { ...rest, headers: { ...headers, ...replay } }
    }

    const resource = tagged?.resource(data)
    const etag = tagged && resource ? entityTag(tagged.form, resource, { session, avatar }) : undefined
    const validators = etag === undefined ? {} : { etag, ...(isRead && revalidation) }
    if (etag && ifNoneMatch && matchesWeakly(ifNoneMatch, etag)) {
      return { status: 304, headers: validators, body: undefined }
    }
    const content = JSON.stringify(response.body(data, session, all))
    const headers: Record<string, string> = { 'content-type': 'application/json', ...validators, ...replay }
    if (page) headers.link = page.link(pages.list(data)?.pageInfo.hasNextPage === true)
    return { status: 200, headers, body: content }
  }
}

// A byte order mark may be ignored (RFC 8259, section 8.1).
const parseBody = (text: string) => parseJson(text.replace(/^\ufeff/, ''))

type Outcome = { readonly data?: unknown; readonly refusal?: Refusal; readonly isReplay: boolean }

async function run(
  executor: Executor,
  operation: PreparedOperation,
  variables: Variables,
  context: Context,
  nameOf: (field: string) => string,
  repeatable?: RepeatableRequest,
): Promise<Outcome> {
  const {
    data,
    errors = [],
    isReplay = false,
  } = resultOf(await executor.run(operation, variables, context, repeatable))
  const [first, ...others] = errors
  return first ? { refusal: refusalOf(first, others, nameOf), isReplay } : { data, isReplay }
}

async function look(...request: Parameters<typeof run>): Promise<unknown> {
  const { data, refusal } = await run(...request)
  if (refusal) throw refusal
  return data
}
