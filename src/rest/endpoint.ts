import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { insufficientScope } from '../domain/access.ts'
import type { ChangeWatch } from '../domain/change-watch.ts'
import { Refusal } from '../errors.ts'
import { encodingOf } from '../http/compression.ts'
import {
  type EntityTags,
  matchesWeakly,
  readEntityTags,
  tagOfEncoding,
  tagsOfAnyEncoding,
} from '../http/entity-tags.ts'
import { repeatableRequest } from '../http/idempotency-key.ts'
import type { Documents } from '../operations/documents.ts'
import type { GetEnveloped, RequestContext } from '../operations/pipeline.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { runOperation } from '../operations/run-operation.ts'
import { unauthenticated } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import { beforeAnyEdit, entityTag, unchangedSince } from './entity-tag.ts'
import { readFeed, readWhenChanged } from './feed.ts'
import { found, isRepeatable, type Operation } from './operation.ts'
import { readPage, readUuids } from './pages.ts'
import type { PathParameters } from './paths.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { refusalOf } from './problem.ts'
import { bodyVariables, type Variables } from './variables.ts'

/** Lets a client, but no shared cache, store the response and revalidate it before each use (RFC 9111, section 5.2.2). */
const revalidation = { 'cache-control': 'private, no-cache', vary: 'Authorization, accept-encoding' }

/** The user whom a path names. */
const foundUser = z.object({ user: z.object({ uuid: z.string() }).nullable() })

/** The parameters of a path, and the variables that they set. */
type Path = { readonly parameters: PathParameters; readonly variables: Variables }

/** Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
export type Endpoint = (request: FastifyRequest, reply: FastifyReply, path: Path) => Promise<Buffer | FastifyReply>

/** What the endpoints share. */
export type RestService = {
  readonly documents: Documents
  readonly getEnveloped: GetEnveloped
  readonly watch: ChangeWatch
}

/** Prepares the endpoint of an operation. Throws when one of its documents does not fit the schema. */
export function prepareEndpoint(definition: Operation, { documents, getEnveloped, watch }: RestService): Endpoint {
  const { body: fields, pages, feed, response, tagged, conditionalOn } = definition
  const { operation, findUser, requiredScopes } = prepareDocuments(definition, documents)
  const isRead = definition.method === 'GET'
  const read = conditionalOn && documents.prepare(conditionalOn.document.source)

  /** Runs an operation like any other of GraphQL. */
  async function run(operation: PreparedOperation, variables: Variables, request: RequestContext, names?: Names) {
    const { data, errors, extensions, contextValue } = await runOperation(getEnveloped, operation, variables, request)
    const [first, ...others] = errors
    const headers = extensions?.http?.headers ?? {}
    if (first) return { refusal: refusalOf(first, others, (field) => names?.get(field) ?? field), headers }
    return { data, headers, contextValue }
  }

  /** The entity tag that what a write changes has now. */
  async function currentTag(read: PreparedOperation, variables: Variables, request: RequestContext) {
    const { data, refusal, contextValue } = await run(read, variables, request)
    return { refusal, tag: contextValue && entityTag(conditionalOn?.tagged, data, contextValue) }
  }

  /** Whether what a write changes has one of these tags. An edit in between gives it a tag that no client has seen. */
  async function hasOneOf(tags: EntityTags, read: PreparedOperation, variables: Variables, request: RequestContext) {
    if (tags === '*') return true
    const { tag, refusal } = await currentTag(read, variables, request)
    if (refusal) throw refusal
    return tag !== undefined && matchesWeakly(tagsOfAnyEncoding(tags), tag)
  }

  return async ({ served, body, bodyText, raw }, reply, { parameters, variables }) => {
    served.noteOperation(definition.id, { isKnown: true })
    const { 'if-none-match': noneMatch, 'if-match': match, 'idempotency-key': key } = raw.headers
    const ifMatch = conditionalOn && readEntityTags('If-Match', match)
    const ifNoneMatch = (tagged ?? conditionalOn) && readEntityTags('If-None-Match', noneMatch)
    const { session } = served.authentication
    const { method, path } = served
    const identity = { method, path, ifMatch: match, ifNoneMatch: noneMatch, body: fields && bodyText }
    const isWrite = isRepeatable(definition)
    const request = served.context(
      () => (isWrite ? repeatableRequest(key?.toString(), session, identity) : undefined),
      { isWrite },
    )
    if (!session) throw unauthenticated()
    if (!satisfies(session.scopes, requiredScopes)) throw insufficientScope(requiredScopes, session)
    const page = pages && readPage(definition, parameters, served, pages.size)
    const requested = feed && readFeed(definition, served)
    const listed = definition.uuids && readUuids(served.query)
    const sent = fields && bodyVariables(body, fields)
    const given = { ...sent?.variables, ...page?.variables, ...requested?.variables, ...listed, ...variables }

    // A path that has the uuid of a user has set `$uuid` already.
    const looked = findUser && given.uuid === undefined ? await run(findUser, given, request) : undefined
    if (looked?.refusal) throw looked.refusal

    const isKnown = read && ifNoneMatch && (await hasOneOf(ifNoneMatch, read, variables, request))
    // Everything else that is wrong with the write is found first.
    const ifUnchangedSince = isKnown ? beforeAnyEdit : ifMatch && unchangedSince(ifMatch, String(variables.uuid))
    const all = {
      ...given,
      ...(looked && found('user', foundUser.parse(looked.data).user)),
      ...(ifUnchangedSince && { ifUnchangedSince }),
    }
    const runWith = (request: RequestContext, more: Variables = {}) =>
      run(operation, { ...all, ...more }, request, sent?.aliases)
    const result = requested
      ? await readWhenChanged(served, watch, requested.seconds, feed, runWith)
      : await runWith(request)
    const { data, refusal, headers, contextValue } = result
    reply.headers(headers)
    if (read && refusal?.code === 'PRECONDITION_FAILED') {
      const { tag } = await currentTag(read, variables, request)
      if (tag !== undefined) reply.header('etag', tag)
      if (ifNoneMatch && !ifMatch) throw new Refusal(refusal.code, 'It has an entity tag that If-None-Match excludes.')
    }
    if (refusal) throw refusal
    if (requested?.seconds) reply.header('preference-applied', `wait=${requested.seconds}`)

    // Fastify would add a charset to JSON that is text.
    const content = Buffer.from(JSON.stringify(response.body(data, session, all)))
    const tag = entityTag(tagged, data, contextValue)
    const etag = tag && tagOfEncoding(tag, encodingOf(raw.headers, content.length))
    if (etag !== undefined) reply.headers({ etag, ...(isRead && revalidation) })
    if (isRead && etag && ifNoneMatch && matchesWeakly(ifNoneMatch, etag)) return reply.code(304).send()
    if (page) reply.header('link', page.link(pages.list(data)?.pageInfo.hasNextPage === true))
    if (requested) reply.header('link', requested.link(feed(data).end.endCursor))
    reply.header('content-type', 'application/json')
    return content
  }
}

/** The names of fields as the caller wrote them. */
type Names = ReadonlyMap<string, string>
