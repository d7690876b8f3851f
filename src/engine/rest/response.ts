import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Viewer } from '../auth/viewers.ts'
import { encodingOf } from '../http/compression.ts'
import { matchesWeakly, tagOfEncoding } from '../http/entity-tags.ts'
import type { Operation } from './operation.ts'
import type { RequestedPage } from './pages.ts'
import { type Preconditions, requireState } from './preconditions.ts'
import { entityTag } from './tagged-resource.ts'
import type { Variables } from './variables.ts'

/** Lets a client, but no shared cache, store the response and revalidate it before each use (RFC 9111, section 5.2.2). */
const revalidation = { 'cache-control': 'private, no-cache', vary: 'Authorization, accept-encoding' }

/** What an operation returned. */
type Done = {
  readonly data: unknown
  readonly viewer: Viewer
  readonly variables: Variables
  readonly preconditions: Preconditions
  readonly page: RequestedPage | undefined
}

/** Responds with the data of an operation. Throws `NOT_FOUND`, and for what is only read `PRECONDITION_FAILED`. */
export function respond(
  definition: Operation,
  { data, viewer, variables, preconditions, page }: Done,
  headers: IncomingHttpHeaders,
  reply: FastifyReply,
): Buffer | FastifyReply {
  const { method, tagged, response, list } = definition
  const text = JSON.stringify(response.body(data, viewer, variables))
  const entity = tagged && entityTag(tagged, data, viewer.id, () => text)
  const etag = entity && tagOfEncoding(entity.tag, encodingOf(headers, entity.length))
  if (etag !== undefined) reply.header('etag', etag)
  if (method === 'GET') {
    requireState(preconditions, entity?.tag, tagged?.resource(data))
    if (etag) reply.headers(revalidation)
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
