import type { FastifyReply, FastifyRequest } from 'fastify'
import { NIL as nil } from 'uuid'
import { z } from 'zod'
import { insufficientScope } from '../domain/access.ts'
import { Refusal } from '../errors.ts'
import { readOperation } from '../execution/pipeline.ts'
import type { PreparedOperation } from '../execution/prepared-operation.ts'
import type { Api } from '../http/api.ts'
import { encodingOf } from '../http/compression.ts'
import {
  type EntityTags,
  matchesWeakly,
  readEntityTags,
  tagOfEncoding,
  tagsOfAnyEncoding,
} from '../http/entity-tags.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { positionForWrite, positionIn } from '../http/position.ts'
import { basePath } from '../http/url.ts'
import { Context, unauthenticated } from '../schema/context.ts'
import { satisfies } from '../scopes.ts'
import { beforeAnyEdit, entityTag, unchangedSince } from './entity-tag.ts'
import { preferredWait, readWhenChanged } from './feed.ts'
import { isRepeatable, type Operation } from './operation.ts'
import { readPage } from './pages.ts'
import { currentParameters, pathOf } from './paths.ts'
import { prepareDocuments } from './prepared-documents.ts'
import { refusalOfErrors } from './problem.ts'
import { bodyVariables, queryVariables, type Variables } from './variables.ts'

/** Lets a client, but no shared cache, store the response and revalidate it before each use (RFC 9111, section 5.2.2). */
const revalidation = { 'cache-control': 'private, no-cache', vary: 'Authorization, accept-encoding' }

/** The user whom a path names. */
const foundUser = z.object({ user: z.object({ uuid: z.string() }).nullable() })

const inSnakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Answers a request with a valid token. Throws refusals in the documented order: 415, 413 or 400, 403, 422, then those of the operation. */
export type Endpoint = (request: FastifyRequest, reply: FastifyReply) => Promise<Buffer | FastifyReply>

/** Prepares the endpoint of an operation. */
export function prepareEndpoint(definition: Operation, api: Api): Endpoint {
  const { service, documents, pipeline, watch, prefix } = api
  const { path, body: fields, query, list, response, tagged, conditionalOn } = definition
  const { operation, findUser, requiredScopes } = prepareDocuments(definition, documents)
  const isWrite = isRepeatable(definition)
  const parameterOf = new Map(Object.entries(query ?? {}).map(([name, { argument = name }]) => [argument, name]))
  const read = conditionalOn && { ...conditionalOn, operation: documents.prepare(conditionalOn.document.source) }

  return async (request, reply) => {
    const { notes, raw, body, identity, named, search } = request
    const { session } = identity
    notes.operation = definition.id
    notes.isOperationKnown = true
    const { 'if-none-match': noneMatch, 'if-match': match } = raw.headers
    const ifMatch = conditionalOn && readEntityTags('If-Match', match)
    const ifNoneMatch = (tagged ?? conditionalOn) && readEntityTags('If-None-Match', noneMatch)
    const asking = isWrite
      ? { after: positionForWrite, repeatable: () => repeatableIn(request) }
      : { after: positionIn(raw.headers) }
    if (!session) throw unauthenticated()
    if (!satisfies(session.scopes, requiredScopes)) throw insufficientScope(requiredScopes, session)
    const page = list && readPage(definition, list, request, prefix)
    const seconds = list?.by === 'feed' && search.has('after') ? preferredWait(raw.headers) : 0
    const sent = fields && bodyVariables(body, fields)
    const chosen = query && queryVariables(search, query)
    const given = {
      ...sent?.variables,
      ...chosen,
      ...page?.variables,
      ...named.variables,
    }

    /** Runs an operation like any other of GraphQL. */
    const run = async (operation: PreparedOperation, variables: Variables) => {
      const context = new Context(service, request, operation, asking)
      const { data, errors, extensions } = await readOperation(pipeline, context, variables)
      const [first, ...others] = errors
      const headers = extensions?.http?.headers ?? {}
      if (!first) return { data, headers }
      return {
        refusal: refusalOfErrors(
          first,
          others,
          (field) => sent?.aliases.get(field) ?? parameterOf.get(field) ?? inSnakeCase(field),
        ),
        headers,
      }
    }

    /** The entity tag that what a write changes has now. */
    const currentTag = async ({ operation, tagged, response }: NonNullable<typeof read>) => {
      const { data, refusal } = await run(operation, named.variables)
      if (refusal) return { refusal }
      const bodyOf = () => JSON.stringify(response.body(data, session, named.variables))
      return { tag: tagged && entityTag(tagged, data, session.viewerId, bodyOf)?.tag }
    }

    /** Whether what a write changes has one of these tags. An edit in between gives it a tag that no client has seen. */
    const hasOneOf = async (tags: EntityTags, it: NonNullable<typeof read>) => {
      if (tags === '*') return true
      const { tag, refusal } = await currentTag(it)
      if (refusal) throw refusal
      return tag !== undefined && matchesWeakly(tagsOfAnyEncoding(tags), tag)
    }

    // A path that has the uuid of a user has set `$uuid` already.
    const looked = findUser && given.uuid === undefined ? await run(findUser, given) : undefined
    if (looked?.refusal) throw looked.refusal

    const isKnown = read && ifNoneMatch && (await hasOneOf(ifNoneMatch, read))
    // Everything else that is wrong with the write is found first.
    const ifUnchangedSince = isKnown ? beforeAnyEdit : ifMatch && unchangedSince(ifMatch, String(named.variables.uuid))
    const all = {
      ...given,
      // Nobody has this id, so what else is wrong is found first.
      ...(looked && (foundUser.parse(looked.data).user ?? { uuid: nil })),
      ...(ifUnchangedSince && { ifUnchangedSince }),
    }
    const follower = { request, watch, sessions: service.sessions }
    const result =
      list && seconds > 0
        ? await readWhenChanged(follower, seconds, list, (more) => run(operation, { ...all, ...more }))
        : await run(operation, all)
    const { data, refusal, headers } = result
    reply.headers(headers)
    if (read && refusal?.code === 'PRECONDITION_FAILED') {
      const { tag } = await currentTag(read)
      if (tag !== undefined) reply.header('etag', tag)
      if (ifNoneMatch && !ifMatch) throw new Refusal(refusal.code, 'It has an entity tag that If-None-Match excludes.')
    }
    if (refusal) throw refusal
    if (seconds > 0) reply.header('preference-applied', `wait=${seconds}`)

    const current = isWrite ? undefined : currentParameters(named.parameters, data)
    if (current) reply.header('content-location', page?.at(current) ?? `${prefix}${basePath}${pathOf(path, current)}`)
    const text = JSON.stringify(response.body(data, session, all))
    const entity = tagged && entityTag(tagged, data, session.viewerId, () => text)
    const etag = entity && tagOfEncoding(entity.tag, encodingOf(raw.headers, entity.length))
    if (etag !== undefined) reply.headers({ etag, ...(!isWrite && revalidation) })
    if (!isWrite && etag && ifNoneMatch && matchesWeakly(ifNoneMatch, etag)) return reply.code(304).send()
    const connection = list?.of(data)
    const link = connection && page?.link(connection)
    if (link !== undefined) reply.header('link', link)
    reply.header('content-type', 'application/json')
    // Fastify would add a charset to JSON that is text.
    return Buffer.from(text)
  }
}
