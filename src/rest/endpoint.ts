import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { insufficientScope } from '../domain/access.ts'
import { matchesWeakly, readEntityTags } from '../http/entity-tags.ts'
import { repeatableRequest } from '../http/idempotency-key.ts'
import type { Documents } from '../operations/documents.ts'
import type { GetEnveloped, RequestContext } from '../operations/pipeline.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { unauthenticated } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { satisfies } from '../scopes.ts'
import { entityTag, unchangedSince } from './entity-tag.ts'
import { found, isRepeatable, type Operation } from './operation.ts'
import { readPage, readUuids } from './pages.ts'
import type { PathParameters } from './paths.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { refusalOf } from './problem.ts'
import { bodyVariables, type Variables } from './variables.ts'

/** Lets a client, but no shared cache, store the response and revalidate it before each use (RFC 9111, section 5.2.2). */
const revalidation = { 'cache-control': 'private, no-cache', vary: 'Authorization' }

/** The user whom a path names. */
const foundUser = z.object({ user: z.object({ uuid: z.string() }).nullable() })

/** The parameters of a path, and the variables that they set. */
type Path = { readonly parameters: PathParameters; readonly variables: Variables }

/** Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
export type Endpoint = (request: FastifyRequest, reply: FastifyReply, path: Path) => Promise<Buffer | FastifyReply>

/** Prepares the endpoint of an operation. Throws when one of its documents does not fit the schema. */
export function prepareEndpoint(definition: Operation, documents: Documents, getEnveloped: GetEnveloped): Endpoint {
  const { body: fields, pages, response, tagged } = definition
  const { operation, findUser, requiredScopes } = prepareDocuments(definition, documents)
  const isRead = definition.method === 'GET'

  /** Runs an operation like any other of GraphQL. */
  async function run(operation: PreparedOperation, variables: Variables, request: RequestContext, names?: Names) {
    const { contextFactory, execute } = getEnveloped({ ...request, operation })
    const contextValue = await contextFactory()
    const { document } = operation
    const result = await execute({ schema, document, contextValue, variableValues: variables })
    const [first, ...others] = result.errors ?? []
    const headers = result.extensions?.http?.headers ?? {}
    if (first) return { refusal: refusalOf(first, others, (field) => names?.get(field) ?? field), headers }
    const data: unknown = result.stringify ? JSON.parse(result.stringify(result)).data : result.data
    return { data, headers, contextValue }
  }

  return async ({ served, body, bodyText, raw }, reply, { parameters, variables }) => {
    served.noteOperation(definition.id)
    const { 'if-none-match': noneMatch, 'if-match': match, 'idempotency-key': key } = raw.headers
    const ifNoneMatch = tagged && isRead ? readEntityTags('If-None-Match', noneMatch) : undefined
    const ifMatch = definition.ifMatch && readEntityTags('If-Match', match)
    const { session } = served.authentication
    if (!session) throw unauthenticated()
    if (!satisfies(session.scopes, requiredScopes)) throw insufficientScope(requiredScopes, session)
    const page = pages && readPage(definition, parameters, served.query, pages.size)
    const listed = definition.uuids && readUuids(served.query)
    const sent = fields && bodyVariables(body, fields)
    const given = { ...sent?.variables, ...page?.variables, ...listed, ...variables }
    const condition = ifMatch && { ifUnchangedSince: unchangedSince(ifMatch, String(variables.uuid)) }

    const { method, path } = served
    const identity = { method, path, ifMatch: match, body: fields && bodyText }
    const request = served.context(() =>
      isRepeatable(definition) ? repeatableRequest(key?.toString(), session, identity) : undefined,
    )
    // A path that has the uuid of a user has set `$uuid` already.
    const looked = findUser && given.uuid === undefined ? await run(findUser, given, request) : undefined
    if (looked?.refusal) throw looked.refusal
    const all = { ...given, ...(looked && found('user', foundUser.parse(looked.data).user)), ...condition }
    const { data, refusal, headers, contextValue } = await run(operation, all, request, sent?.aliases)
    reply.headers(headers)
    if (refusal) throw refusal

    const resource = tagged?.resource(data)
    const avatar = contextValue.avatar
    const etag = tagged && resource ? entityTag(tagged.form, resource, { session, avatar }) : undefined
    if (etag !== undefined) reply.headers({ etag, ...(isRead && revalidation) })
    if (etag && ifNoneMatch && matchesWeakly(ifNoneMatch, etag)) {
      return reply.code(304).send()
    }
    const content = JSON.stringify(response.body(data, session, all))
    if (page) reply.header('link', page.link(pages.list(data)?.pageInfo.hasNextPage === true))
    reply.header('content-type', 'application/json')
    // Fastify would add a charset to JSON that is text.
    return Buffer.from(content)
  }
}

/** The names of fields as the caller wrote them. */
type Names = ReadonlyMap<string, string>
